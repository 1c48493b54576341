# An image with the command `fencepost`: `docker build -t fencepost .`, then `docker run --rm -v "$PWD:/data" fencepost check dekker.c`.
FROM rust:1.88-bookworm AS build
WORKDIR /src
COPY . .
# All in one file, so that the second stage needs no library of C++.
ENV RUSTFLAGS="-C target-feature=+crt-static"
RUN cargo build --locked --profile dist --package fencepost-cli --target "$(rustc -vV | sed -n 's/^host: //p')" \
    && cp target/*/dist/fencepost /fencepost

# C programs go through a preprocessor, with the headers of a system.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /fencepost /usr/local/bin/fencepost
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/fencepost/
WORKDIR /data
ENTRYPOINT ["fencepost"]
