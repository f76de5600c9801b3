"""Transaction databases: (h,k,p)-coherence (Xu, Wang, Fu, Yu, KDD 2008), from supports to what is suppressed."""
