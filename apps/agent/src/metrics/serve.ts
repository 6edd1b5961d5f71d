import type { Server } from "node:http";
import { createServer } from "node:http";
import type { Registry } from "prom-client";

/** Headers must be there within this, ms: whoever asks stands beside us. */
const HEADERS_MS = 5_000;

/** Another program has the port; its message says what to do. */
export class MetricsPortTaken extends Error {
  override readonly name = "MetricsPortTaken";
}

/** `/metrics` for Prometheus on this computer, and nothing else to anybody else. @throws MetricsPortTaken. */
export async function serveMetrics(
  registry: Registry,
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, (request, answer) => {
    // A page whose name was bent to this computer asks by that name.
    const asked = (request.headers.host ?? "").replace(/:\d+$/, "");
    if (request.method !== "GET" || request.url !== "/metrics" || !/^(127\.0\.0\.1|localhost)$/.test(asked)) {
      answer.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => answer.writeHead(200, { "content-type": registry.contentType, "cache-control": "no-store" }).end(text),
      () => answer.writeHead(500).end(),
    );
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((listening, failed) => {
    const explain = (error: NodeJS.ErrnoException): void =>
      failed(
        error.code === "EADDRINUSE"
          ? new MetricsPortTaken(`METRICS_PORT ${port} is taken by another program: give this agent another one.`)
          : error,
      );
    server.once("error", explain);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", explain);
      listening();
    });
  });
}
