import { isIP } from "node:net";
import { resolve } from "node:path";
import { OwnId } from "@longarm/contract/ids";
import * as z from "zod/mini";
import { candidateFilter } from "../media/transport/remote-candidates.ts";
import type { MachineConfig } from "./machines.ts";
import { floorOf, MACHINES_MAX, readMachines } from "./machines.ts";

/** Every variable an agent reads, each once. */
const Environment = z.object({
  /** The platform's agent link, such as `wss://play.example.org/agent`; several nodes of one platform parted by commas. */
  PLATFORM_URL: needed(
    "must be an address such as wss://play.example.org/agent, or several parted by commas",
    webSocketUrls,
  ),
  /** The key that enrolling gave; sent with every dial, never logged. */
  AGENT_KEY: needed("must be the key that enrolling this agent gave (16 to 512 characters, no spaces)", (text) =>
    /^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined,
  ),
  /** This agent's own name in hello and logs. */
  AGENT_ID: field("agent", "must be 1 to 64 letters, digits or _ . : -", (text) =>
    OwnId.safeParse(text).success ? text : undefined,
  ),
  /** Holds the journal and the memory of simulated machines. Back it up; never share it between two agents. */
  DATA_FOLDER: field("data/agent", "must be a folder", (text) => text),
  /** The machines: a JSON list, or the path of a file with one. Absent: a simulated floor. */
  MACHINES: field<string | null>(null, "must be a JSON list or a file", (text) => text),
  /** Simulated machines of the floor when MACHINES is absent. */
  FLOOR_MACHINES: wholeNumber(1, MACHINES_MAX, 12),
  /** Makes the games of simulated machines; the same seed and stakes bring the same games. Absent: a secret one, made once. */
  FLOOR_SEED: field<string | null>(null, "must have 1 to 256 characters", (text) =>
    text.length <= 256 ? text : undefined,
  ),
  /** Paints the time into the picture of simulated machines, for measurements. */
  FLOOR_TIME_CODE: yesNo(false),
  /** Least time from game to game of simulated machines, ms. */
  FLOOR_MIN_CYCLE_MS: wholeNumber(10, 60_000, 2_500),
  /** Addresses offered to browsers beside the agent's own, such as a public one; parted by commas. */
  EXTRA_HOSTS: listOf("must be IP addresses, parted by commas", (item) => isIP(item) !== 0),
  /** Offers nothing but EXTRA_HOSTS. */
  ONLY_EXTRA_HOSTS: yesNo(false),
  /** UDP and TCP port numbers for media, such as 40000-40100. Absent: the system chooses. */
  PORT_RANGE: field<readonly [number, number] | null>(null, "must be like 40000-40100", portRange),
  /** Networks of browsers that may be probed although they lie in the venue; CIDR, parted by commas. */
  CANDIDATES_OPEN: listOf("must be networks such as 192.168.1.0/24, parted by commas", isNetwork),
  /** Networks that are never probed, beside the agent's own ones; CIDR, parted by commas. */
  CANDIDATES_CLOSED: listOf("must be networks such as 192.168.1.0/24, parted by commas", isNetwork),
  /** Whether the agent's own side uses the TURN servers of the platform: not, beside the direct ways, or as its only way. */
  ICE_RELAY: oneOf(["no", "yes", "only"], "no"),
  /** Port of `/metrics` for Prometheus, on 127.0.0.1 alone; 0: there is none. */
  METRICS_PORT: wholeNumber(0, 65_535, 0),
  LOG_LEVEL: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info"),
  /** One JSON object a line, or words for people. */
  LOG_FORMAT: oneOf(["json", "words"], "json"),
  /** How long the media process may be silent before it is replaced, ms. */
  MEDIA_SILENT_MS: wholeNumber(500, 600_000, 2_000),
});

/** The configuration cannot be used. Its message names every bad variable, one a line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** What one agent process is told, read once. */
export type Config = ReturnType<typeof shape>;

/**
 * Reads the environment; `readFile` gives the text of a machines file or throws.
 * @throws ConfigError naming every bad variable at once.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Config {
  const parsed = z.safeParse(Environment, environment);
  const complaints = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  const given = machinesOf(environment["MACHINES"]?.trim() ?? "", readFile);
  complaints.push(...given.complaints.map((complaint) => `MACHINES ${complaint}`));
  if (!parsed.success || complaints.length > 0) {
    throw new ConfigError(["The configuration cannot be used:", ...complaints.map((line) => `  ${line}`)].join("\n"));
  }
  return shape(parsed.data, given.machines ?? floorOf(parsed.data.FLOOR_MACHINES));
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

function shape(given: z.output<typeof Environment>, machines: readonly MachineConfig[]) {
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

/** One variable: absent or empty gives `fallback`; else `read` gives its value, or undefined when it is not `must`. */
function field<T>(fallback: T, must: string, read: (text: string) => T | undefined): z.ZodMiniType<T> {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text: string | undefined, context): T => {
      const given = text?.trim() ?? "";
      if (given === "") return fallback;
      const value = read(given);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", message: must, input: undefined });
      return fallback;
    }),
  ) as unknown as z.ZodMiniType<T>;
}

/** One variable that must be given. */
function needed<T>(must: string, read: (text: string) => T | undefined): z.ZodMiniType<T> {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text: string | undefined, context) => {
      const value = text === undefined ? undefined : read(text.trim());
      if (value === undefined) context.issues.push({ code: "custom", message: must, input: undefined });
      return value;
    }),
  ) as unknown as z.ZodMiniType<T>;
}

function wholeNumber(least: number, most: number, fallback: number): z.ZodMiniType<number> {
  return field(fallback, `must be a whole number from ${least} to ${most}`, (text) => numberIn(text, least, most));
}

function numberIn(text: string, least: number, most: number): number | undefined {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function yesNo(fallback: boolean): z.ZodMiniType<boolean> {
  return field(fallback, "must be yes or no", (text) => {
    if (/^(1|true|yes)$/i.test(text)) return true;
    return /^(0|false|no)$/i.test(text) ? false : undefined;
  });
}

function oneOf<const W extends readonly string[]>(words: W, fallback: W[number]): z.ZodMiniType<W[number]> {
  return field<W[number]>(fallback, `must be one of ${words.join(", ")}`, (text) =>
    words.find((word) => word === text),
  );
}

/** Parts between commas, each passing `holds`. */
function listOf(must: string, holds: (item: string) => boolean): z.ZodMiniType<readonly string[]> {
  return field<readonly string[]>([], must, (text) => {
    const items = text.split(",").map((item) => item.trim());
    return items.every(holds) ? items : undefined;
  });
}
