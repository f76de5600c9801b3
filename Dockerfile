# kohort without rights on a read-only root; the folder with the tables is /data:
#
#   docker build -t kohort .
#   docker run --rm --read-only --tmpfs /tmp --network none --user "$(id -u):$(id -g)" -v "$PWD:/data" kohort run job.toml
#
# The image has no C compiler: the compiled core is built by that of `ziglang`, which pip fetches for the build alone.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /opt/kohort && /opt/kohort/bin/pip install --no-cache-dir -c constraints.txt '.[report]'

FROM python:3.13-slim
COPY --from=build /opt/kohort /opt/kohort
ENV PATH=/opt/kohort/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    MPLCONFIGDIR=/tmp/kohort/matplotlib
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["kohort"]
CMD ["--help"]
