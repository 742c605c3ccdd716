# The image of the service: a build stage, and a small stage without npm and build tools. `npm run image-drill` runs the
# same steps where no container runtime exists. docs/operations.md says how to run it.
FROM node:24-alpine AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY src/sdk/package.json src/sdk/
COPY src/web/package.json src/web/
COPY tools/stubs tools/stubs
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Pages that are open during an upgrade load scripts of the previous release from this folder, if it exists.
ARG PREVIOUS_RELEASE=
RUN PREVIOUS_RELEASE="$PREVIOUS_RELEASE" npm run build && node tools/image-tree.mjs /image

FROM alpine:3.22
RUN apk add --no-cache libstdc++ && adduser -D -H -u 10001 parley && install -d -o parley /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
# Owned by root, so the service cannot change its own code.
COPY --from=build /image /app
WORKDIR /app
USER 10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:4000/healthz"]
CMD ["node", "--liftoff-only", "--max-semi-space-size=16", "--enable-source-maps", "dist/main.js"]
