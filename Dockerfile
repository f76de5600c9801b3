# kohort without rights on a read-only root; the folder with the tables is /data:
#
#   docker build -t kohort .
#   docker run --rm --read-only --tmpfs /tmp --network none --user "$(id -u):$(id -g)" -v "$PWD:/data" kohort run job.toml
#
# Machine code is compiled when it is first needed and kept in /tmp; name a volume instead of the tmpfs to keep it longer.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /opt/kohort && /opt/kohort/bin/pip install --no-cache-dir -c constraints.txt '.[report]'

FROM python:3.13-slim
COPY --from=build /opt/kohort /opt/kohort
ENV PATH=/opt/kohort/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CACHE_DIR=/tmp/kohort/numba \
    MPLCONFIGDIR=/tmp/kohort/matplotlib
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["kohort"]
CMD ["--help"]
