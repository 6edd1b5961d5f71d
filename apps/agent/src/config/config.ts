import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { OwnId } from "@longarm/contract/ids";
import type { Environment, Values } from "@longarm/link/environment";
import {
  listOf,
  machineAddress,
  oneOf,
  readEnvironment,
  required,
  text,
  variable,
  wholeNumber,
  yesNo,
} from "@longarm/link/environment";
import { demonstration } from "../drivers/registry.ts";
import { ENCODER_NAMES } from "../media/encoder/h264-encoders.ts";
import { candidateFilter } from "../media/transport/remote-candidates.ts";
import type { MachineConfig } from "./entry.ts";
import { MACHINES_MAX, readMachines } from "./machines.ts";
import { withStoredDelay } from "./source-delay.ts";

/** A list of all machines that an agent may have fits easily. */
const MACHINES_LENGTH_MAX = 1_000_000;

/** Every variable an agent reads, each once. */
const VARIABLES = {
  /** The platform's agent link, such as `wss://play.example.org/agent`; several nodes of one platform separated by commas. */
  PLATFORM_URL: required(
    "must be an address such as wss://play.example.org/agent, or several separated by commas",
    webSocketUrls,
  ),
  /** The key that enrolling gave; sent with every dial, never logged. */
  AGENT_KEY: required("must be the key that enrolling this agent gave (16 to 512 characters, no spaces)", (text) =>
    /^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined,
  ),
  /** This agent's own name in hello and logs. */
  AGENT_ID: variable("agent", "must be 1 to 64 letters, digits or _ . : -", (text) =>
    OwnId.safeParse(text).success ? text : undefined,
  ),
  /** Holds the journal, and what drivers remember of their machines. Never share it between two agents, and never restore an older copy: the machines have continued. */
  DATA_FOLDER: text("data/agent"),
  /** The machines: a JSON list, or the path of a file with one. Absent: a simulated floor. */
  MACHINES: text(null, MACHINES_LENGTH_MAX),
  /** Simulated machines of the floor when MACHINES is absent. */
  FLOOR_MACHINES: wholeNumber(1, MACHINES_MAX, 12),
  /** Seed of the games of simulated machines; the same seed and stakes give the same games. Absent: a secret one, made once. */
  FLOOR_SEED: text(null, 256),
  /** Draws the time into the video of simulated machines, for measurements. */
  FLOOR_TIME_CODE: yesNo(false),
  /** Minimum time from game to game of simulated machines, ms. */
  FLOOR_MIN_CYCLE_MS: wholeNumber(10, 60_000, 2_500),
  /** Addresses offered to browsers beside the agent's own, such as a public one; separated by commas. */
  EXTRA_HOSTS: listOf("must be IP addresses, separated by commas", (item) => isIP(item) !== 0),
  /** Offers nothing but EXTRA_HOSTS. */
  ONLY_EXTRA_HOSTS: yesNo(false),
  /** UDP and TCP port numbers for media, such as 40000-40100. Absent: the system chooses. */
  PORT_RANGE: variable<readonly [number, number] | null>(null, "must be like 40000-40100", portRange),
  /** Networks of browsers that may be probed although they lie in the venue; CIDR, separated by commas. */
  CANDIDATES_OPEN: listOf("must be networks such as 192.168.1.0/24, separated by commas", isNetwork),
  /** Networks that are never probed, beside the agent's own ones; CIDR, separated by commas. */
  CANDIDATES_CLOSED: listOf("must be networks such as 192.168.1.0/24, separated by commas", isNetwork),
  /** Whether the agent itself uses the TURN servers of the platform: not, beside direct candidates, or as its only candidates. */
  ICE_RELAY: oneOf(["no", "yes", "only"], "no"),
  /** What encodes H.264: x264 on the processor, or a hardware encoder, which is tried first. */
  ENCODER: oneOf(ENCODER_NAMES, "x264"),
  /** Where a media server takes each machine's video for a crowd, by WHIP, such as https://media.example.org/{machine}/whip. Absent: nowhere. */
  CROWD_WHIP: machineAddress,
  /** The media server's token, sent to that address alone. */
  CROWD_TOKEN: variable<string | null>(null, "must have 1 to 4000 characters without spaces", (text) =>
    /^[\x21-\x7e]{1,4000}$/.test(text) ? text : undefined,
  ),
  /** Spectators at a machine from whom on it is published to the media server; 0: always. */
  CROWD_FROM: wholeNumber(0, 13, 4),
  /** Port of `/metrics` for Prometheus, on 127.0.0.1 alone; 0: there is none. */
  METRICS_PORT: wholeNumber(0, 65_535, 0),
  LOG_LEVEL: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info"),
  /** One JSON object a line, or words for people. */
  LOG_FORMAT: oneOf(["json", "words"], "json"),
  /** Whether play sessions are recorded. */
  RECORD: yesNo(true),
  /** A record is kept for so many days, or as long as a case holds it. */
  RECORD_DAYS: wholeNumber(1, 3_650, 90),
  /** Room for the records of all machines, GB; the oldest are removed first, and never what a case holds. */
  RECORD_DISK: wholeNumber(1, 1_000_000, 20),
  /** The venue's key that encrypts records: 64 hexadecimal digits. Absent: one of this agent's own, made once in the data folder. */
  RECORD_KEY: variable<string | null>(null, "must be 64 hexadecimal digits", (text) =>
    /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined,
  ),
  /** How long the media process may be silent before it is replaced, ms. */
  MEDIA_SILENT_MS: wholeNumber(500, 600_000, 2_000),
} as const;

/** The configuration of one agent process, read once. */
export type Config = ReturnType<typeof shape>;

/**
 * Reads the environment; `readFile` gives the text of a machines file or throws.
 * @throws ConfigError naming every bad variable at once.
 */
export function readConfig(environment: Environment, readFile: (path: string) => string): Config {
  const { machines, complaints } = machinesOf(environment["MACHINES"]?.trim() ?? "", readFile);
  const given = readEnvironment(VARIABLES, environment, {
    complaints: complaints.map((complaint) => `MACHINES ${complaint}`),
    contradictions: ({ CROWD_WHIP, CROWD_TOKEN }) =>
      CROWD_TOKEN !== null && CROWD_WHIP === null ? ["CROWD_TOKEN is of no use without CROWD_WHIP"] : [],
  });
  const floor = () => readMachines(JSON.stringify([demonstration(given.FLOOR_MACHINES)])).machines;
  const config = shape(given, machines ?? floor());
  return { ...config, machines: config.machines.map((machine) => withMeasured(machine, config, readFile)) };
}

type GivenMachines = { machines?: MachineConfig[]; complaints: string[] };

function machinesOf(text: string, readFile: (path: string) => string): GivenMachines {
  if (text === "") return { complaints: [] };
  if (text.startsWith("[")) return readMachines(text);
  try {
    return readMachines(readFile(resolve(text)));
  } catch {
    return { complaints: [`names a file that cannot be read: ${resolve(text)}`] };
  }
}

/** With the delay of its picture that the doctor measured. */
function withMeasured(machine: MachineConfig, config: Config, readFile: (path: string) => string): MachineConfig {
  const { picture } = machine;
  if (picture === undefined) return machine;
  return { ...machine, picture: withStoredDelay(picture, machineFolder(config, machine), readFile) };
}

/** Where a machine's driver keeps what it must not forget. */
export function machineFolder({ dataFolder }: Pick<Config, "dataFolder">, { id }: Pick<MachineConfig, "id">): string {
  return join(dataFolder, "machines", id);
}

function shape(given: Values<typeof VARIABLES>, machines: readonly MachineConfig[]) {
  return {
    /** At least one. */
    platformUrls: given.PLATFORM_URL,
    agentKey: given.AGENT_KEY,
    agentId: given.AGENT_ID,
    dataFolder: resolve(given.DATA_FOLDER),
    machines,
    simulated: { seed: given.FLOOR_SEED, timeCode: given.FLOOR_TIME_CODE, minCycleMs: given.FLOOR_MIN_CYCLE_MS },
    media: {
      extraAddresses: given.EXTRA_HOSTS,
      onlyExtraAddresses: given.ONLY_EXTRA_HOSTS,
      portRange: given.PORT_RANGE,
      candidates: { open: given.CANDIDATES_OPEN, closed: given.CANDIDATES_CLOSED },
      relay: given.ICE_RELAY,
    },
    encoder: given.ENCODER,
    /** Where each machine is published for a crowd; null: nowhere. */
    crowd:
      given.CROWD_WHIP === null ? null : { whip: given.CROWD_WHIP, token: given.CROWD_TOKEN, from: given.CROWD_FROM },
    record: {
      on: given.RECORD,
      days: given.RECORD_DAYS,
      diskGb: given.RECORD_DISK,
      key: given.RECORD_KEY,
    },
    metricsPort: given.METRICS_PORT,
    logLevel: given.LOG_LEVEL,
    logFormat: given.LOG_FORMAT,
    mediaSilentMs: given.MEDIA_SILENT_MS,
  };
}

function webSocketUrls(text: string): readonly string[] | undefined {
  const urls = text.split(",").map((part) => webSocketUrl(part.trim()));
  return urls.every((url) => url !== undefined) ? urls : undefined;
}

function webSocketUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const fits =
    url !== null && /^wss?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === "";
  return fits ? url.href : undefined;
}

function portRange(text: string): readonly [number, number] | undefined {
  const [, firstText = "", lastText = ""] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const first = numberIn(firstText, 1_024, 65_535);
  const last = numberIn(lastText, 1_024, 65_535);
  return first === undefined || last === undefined || first > last ? undefined : [first, last];
}

function isNetwork(text: string): boolean {
  try {
    candidateFilter({ closed: [text], open: [] });
    return true;
  } catch {
    return false;
  }
}

function numberIn(given: string, min: number, max: number): number | undefined {
  const value = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
