"""Reading and writing transaction databases."""
