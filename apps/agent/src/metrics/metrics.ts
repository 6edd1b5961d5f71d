import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Agent } from "../agent.ts";
import type { Journal } from "../journal/journal.ts";
import type { LaneStats } from "../media/lane.ts";
import type { MediaProcess } from "../media-process/media-process.ts";

/** What an agent tells about itself: nothing is counted twice, what exists elsewhere is read when somebody looks. */
export interface AgentMetrics {
  readonly registry: Registry;
  /** The same journal, with its writes timed. */
  journal(journal: Journal): Journal;
  /** A press has ended so; undefined: the machine was silent. */
  pressed(outcome: string | undefined): void;
  /** The agent whose machines, link and media process are reported. */
  watch(agent: Agent, machineIds: readonly string[], media: MediaFigures): void;
}

type MediaFigures = Pick<MediaProcess, "restarts" | "memory">;

export function createAgentMetrics(): AgentMetrics {
  const registry = new Registry();
  const writes = new Histogram({
    name: "longarm_agent_journal_seconds",
    help: "From asking the journal to keep something until it is on the disk.",
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  });
  const failures = new Counter({
    name: "longarm_agent_journal_failures_total",
    help: "Writes of the journal that failed; nothing is played or paid meanwhile.",
    registers: [registry],
  });
  const presses = new Counter({
    name: "longarm_agent_presses_total",
    help: "Presses of the seat, each once, by outcome; silent: the machine did not answer.",
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
}

function watchAgent(registry: Registry, agent: Agent, machineIds: readonly string[]): void {
  const gauge = (name: string, help: string, labelNames: readonly string[], tell: (own: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        tell(this);
      },
    });
  const broadcastOf = (id: string) => agent.machine(id)?.opened()?.broadcast;
  const lanes = (name: string, help: string, read: (stats: LaneStats) => number) =>
    gauge(name, help, ["machine", "codec"], (own) => {
      for (const machine of machineIds)
        for (const stats of broadcastOf(machine)?.stats() ?? []) own.set({ machine, codec: stats.codec }, read(stats));
    });

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
  gauge("longarm_agent_viewers", "Who watches a machine.", ["machine"], (own) => {
    for (const machine of machineIds) own.set({ machine }, broadcastOf(machine)?.viewers().length ?? 0);
  });
  lanes("longarm_agent_bitrate", "What an encoder is asked for, bits a second.", ({ bitrate }) => bitrate);
  lanes("longarm_agent_frames", "Pictures that an encoder has encoded since it began.", ({ encoded }) => encoded);
  lanes(
    "longarm_agent_frames_skipped",
    "Pictures left out because the one before was still being encoded.",
    ({ skipped }) => skipped,
  );
  lanes("longarm_agent_encode_seconds", "Mean time of one encode.", ({ encodeMs }) => encodeMs / 1_000);
}
