# The service as an image: docs/operate/deploy.md.

FROM --platform=$BUILDPLATFORM node:26.12.1-trixie-slim AS build
WORKDIR /src
COPY . .
# The context has no Git, so the commit is passed: --build-arg COMMIT="$(git rev-parse HEAD)".
ARG COMMIT=unknown
ARG SOURCE_DATE_EPOCH
# An empty folder in a folder: COPY keeps the modes of what is in the folder that it names, but not that of the folder itself.
RUN pnpm="npx -y $(node -p 'require("./package.json").packageManager')" \
    && $pnpm install --frozen-lockfile \
    && $pnpm package \
    && mv release/plant-store-*/ /opt/plant-store \
    && install -d -m 700 /volumes/data

# Only copies: a test makes the same root without an engine, and runs it.
FROM node:26.12.1-trixie-slim
LABEL org.opencontainers.image.title="Plant Store" \
      org.opencontainers.image.licenses="MIT"
ENV HOST=0.0.0.0 \
    ADMIN_PORT=3001 \
    DATABASE_URL=file:/data/plant-store.db
COPY --from=build /opt/plant-store /opt/plant-store
COPY --from=build --chown=1000:1000 /volumes/ /
WORKDIR /data
VOLUME ["/data"]
USER 1000:1000
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
    CMD ["node", "/opt/plant-store/dist/main.js", "ready"]
ENTRYPOINT ["node", "/opt/plant-store/dist/main.js"]
CMD ["serve"]
