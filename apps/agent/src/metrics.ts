import type { Server } from "node:http";
import { createServer } from "node:http";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Agent } from "./agent.ts";
import type { Journal } from "./journal/journal.ts";
import type { MediaProcess } from "./media-process/media-process.ts";
import type { LaneStats } from "./media-process/messages.ts";

/** The agent's metrics. Nothing is counted twice: what exists elsewhere is read at each scrape. */
interface AgentMetrics {
  readonly registry: Registry;
  /** The same journal, with its writes timed. */
  journal(journal: Journal): Journal;
  /** A press has ended; undefined: the machine was silent. */
  pressed(outcome: string | undefined): void;
  /** The agent whose machines, link and media process are reported. */
  watch(agent: Agent, machineIds: readonly string[], media: MediaFigures): void;
}

type MediaFigures = Pick<MediaProcess, "restarts" | "memory" | "fellBack">;

export function createAgentMetrics(): AgentMetrics {
  const registry = new Registry();
  const writes = new Histogram({
    name: "longarm_agent_journal_seconds",
    help: "Time from a journal write's start until it is on the disk.",
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  });
  const failures = new Counter({
    name: "longarm_agent_journal_failures_total",
    help: "Writes of the journal that failed; no game starts and no money moves meanwhile.",
    registers: [registry],
  });
  const presses = new Counter({
    name: "longarm_agent_presses_total",
    help: "Presses of the player, each counted once, by outcome; silent: the machine did not answer.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return {
    registry,
    pressed: (outcome = "silent") => presses.inc({ outcome }),
    journal: (journal) => ({
      machine: (machineId) => journal.machine(machineId),
      problem: () => journal.problem(),
      retry: () => journal.retry(),
      close: () => journal.close(),
      async append(...records) {
        const end = writes.startTimer();
        try {
          await journal.append(...records);
          end();
        } catch (error) {
          failures.inc();
          throw error;
        }
      },
    }),
    watch: (agent, machineIds, media) => {
      watchAgent(registry, agent, machineIds);
      watchMedia(registry, media);
    },
  };
}

function watchMedia(registry: Registry, media: MediaFigures): void {
  new Counter({
    name: "longarm_agent_media_restarts_total",
    help: "How often the media process ended or hung and was started again.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(media.restarts());
    },
  });
  new Gauge({
    name: "longarm_agent_media_memory_bytes",
    help: "Memory (resident) of the media process; 0 while there is none.",
    registers: [registry],
    collect() {
      this.set(media.memory());
    },
  });
  new Gauge({
    name: "longarm_agent_encoder_fell_back",
    help: "1 while x264 encodes although ENCODER names a hardware encoder: it failed, or is still being tried.",
    registers: [registry],
    collect() {
      this.set(media.fellBack() ? 1 : 0);
    },
  });
}

function watchAgent(registry: Registry, agent: Agent, machineIds: readonly string[]): void {
  const gauge = (name: string, help: string, labelNames: readonly string[], read: (own: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        read(this);
      },
    });
  const broadcastOf = (id: string) => agent.machine(id)?.opened()?.broadcast;
  const lanes = (name: string, help: string, read: (stats: LaneStats) => number) =>
    gauge(name, help, ["machine", "codec"], (own) => {
      for (const machine of machineIds)
        for (const stats of broadcastOf(machine)?.stats() ?? []) own.set({ machine, codec: stats.codec }, read(stats));
    });

  gauge(
    "longarm_agent_line_polls",
    "Polls of a machine's line since it was opened: sent, late (more than 10 ms after their plan), failed (without a readable answer).",
    ["machine", "state"],
    (own) => {
      for (const machine of machineIds) {
        const figures = agent.machine(machine)?.opened()?.line?.();
        if (figures === undefined) continue;
        own.set({ machine, state: "sent" }, figures.polls);
        own.set({ machine, state: "late" }, figures.late);
        own.set({ machine, state: "failed" }, figures.failed);
      }
    },
  );
  gauge("longarm_agent_linked", "1 while the platform has taken this agent's hello.", [], (own) =>
    own.set(agent.linked() ? 1 : 0),
  );
  gauge(
    "longarm_agent_machines",
    "Machines of this agent: those that answer, and those that do not.",
    ["state"],
    (own) => {
      const open = machineIds.filter((id) => agent.machine(id)?.opened() !== undefined).length;
      own.set({ state: "open" }, open);
      own.set({ state: "silent" }, machineIds.length - open);
    },
  );
  gauge("longarm_agent_viewers", "Viewers of a machine.", ["machine"], (own) => {
    for (const machine of machineIds) own.set({ machine }, broadcastOf(machine)?.viewers().length ?? 0);
  });
  lanes("longarm_agent_bitrate", "Target bitrate of an encoder, bits a second.", ({ bitrate }) => bitrate);
  lanes("longarm_agent_frames", "Frames that an encoder has encoded since it began.", ({ encoded }) => encoded);
  lanes(
    "longarm_agent_frames_skipped",
    "Frames left out because the one before was still being encoded.",
    ({ skipped }) => skipped,
  );
  lanes("longarm_agent_encode_seconds", "Mean time of one encode.", ({ encodeMs }) => encodeMs / 1_000);
}

/** Request headers must arrive within this, ms: a scraper runs on this computer. */
const HEADERS_MS = 5_000;

/** Another program uses the port; the message says what to do. */
export class MetricsPortTaken extends Error {
  override readonly name = "MetricsPortTaken";
}

/** Serves `/metrics` to Prometheus on this computer, and nothing else. @throws MetricsPortTaken. */
export async function serveMetrics(
  registry: Registry,
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, (request, answer) => {
    // DNS rebinding: a page of another name that resolves to this computer sends that name.
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    if (request.method !== "GET" || request.url !== "/metrics" || !/^(127\.0\.0\.1|localhost)$/.test(host)) {
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
