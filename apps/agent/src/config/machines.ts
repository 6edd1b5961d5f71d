import { ReturnPercent, Rules } from "@longarm/contract/about-machine";
import { OwnId } from "@longarm/contract/ids";
import { CutScreen } from "@longarm/contract/machine";
import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import { FLOOR_BRANDS, simulatedFloor } from "../drivers/simulated/index.ts";
import { PictureConfig, RoomCameraConfig, SoundConfig } from "./pictures.ts";

/** Machines of one agent: more would not fit the one frame of `hello`. */
export const MACHINES_MAX = 32;

const MinCycleMs = z.int().check(z.gte(10, "must be 10 to 60000 ms"), z.lte(60_000, "must be 10 to 60000 ms"));
const brandIds = FLOOR_BRANDS.map(({ id }) => id);

/** One machine of the simulator. */
const SimulatedMachine = z.strictObject({
  driver: z.literal("simulated"),
  /** Unique among all agents of the platform. */
  id: OwnId,
  /** As players read it. */
  name: z.string().check(z.minLength(1), z.maxLength(64)),
  brand: z.enum(brandIds),
  /** Absent: made of FLOOR_SEED and the id. */
  seed: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  minCycleMs: z.optional(MinCycleMs),
  timeCode: z.optional(z.boolean()),
  /** Minor units. */
  minTransfer: z.optional(PositiveMinor),
  maxTransfer: z.optional(PositiveMinor),
  creditMax: z.optional(PositiveMinor),
  handPayFrom: z.optional(PositiveMinor),
  maxStake: z.optional(PositiveMinor),
  autoplay: z.optional(z.boolean()),
  /** What the operator states to players: the long-run return, percent, in place of the machine's own word; and rules of this machine. */
  returnPercent: z.optional(ReturnPercent),
  rules: z.optional(Rules),
  /** Takes the place of the painted picture. */
  picture: z.optional(PictureConfig),
  /** Sound of that picture; absent: none. */
  sound: z.optional(SoundConfig),
  /** Takes the place of the painted room; `none`: there is no camera of the room. */
  roomCamera: z.optional(RoomCameraConfig),
  /** What the picture shows: the machine's screen, or the machine through a lens. Absent: told by `picture`. */
  videoType: z.optional(z.enum(["screen", "camera"])),
  /** The part of the picture that holds the machine. */
  cutScreen: z.optional(CutScreen),
});

/** A floor of simulated machines, evenly over the brands. */
const SimulatedFloor = z.strictObject({
  driver: z.literal("simulated"),
  floor: z.int().check(z.gte(1), z.lte(MACHINES_MAX)),
});

const MachineList = z.array(z.union([SimulatedMachine, SimulatedFloor])).check(z.minLength(1));

export type MachineConfig = z.infer<typeof SimulatedMachine>;

/** Reads the list of machines. Complaints are sentences that name the place in the list. */
export function readMachines(json: string): { machines: MachineConfig[]; complaints: string[] } {
  const given = parseJson(json);
  const parsed = z.safeParse(MachineList, given);
  if (!parsed.success)
    return { machines: [], complaints: parsed.error.issues.flatMap((issue) => sentencesOf(issue, given)) };
  const machines = parsed.data.flatMap((entry) => ("floor" in entry ? floorOf(entry.floor) : [entry]));
  return { machines, complaints: contradictions(machines) };
}

/** A list of machines and floors: of an entry that is neither, what it lacks of the one it is meant to be. */
function sentencesOf(issue: z.core.$ZodIssue, given: unknown): string[] {
  if (issue.code !== "invalid_union") return [sentenceOf(issue.path, issue)];
  const entry = issue.path.length === 1 && Array.isArray(given) ? given[Number(issue.path[0])] : undefined;
  const meant = typeof entry === "object" && entry !== null && "floor" in entry ? issue.errors[1] : issue.errors[0];
  return (meant ?? [issue]).map((inner) =>
    sentenceOf(inner === issue ? issue.path : [...issue.path, ...inner.path], inner),
  );
}

/** A place and what is wrong there; the schema's own words where it has some. Never the value: it may be an address with a password. */
function sentenceOf(path: readonly PropertyKey[], issue: z.core.$ZodIssue): string {
  return `at ${path.map(String).join(".") || "the list"}: ${complaintOf(issue)}`;
}

function complaintOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `does not know ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  if (issue.message !== "Invalid input") return issue.message;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  return issue.code === "invalid_type" ? `must be of the kind ${issue.expected}` : issue.message;
}

export function floorOf(count: number): MachineConfig[] {
  return simulatedFloor(count).map((machine) => ({
    driver: "simulated" as const,
    ...machine,
    brand: brandIds.find((id) => id === machine.brand) ?? "nar",
  }));
}

function contradictions(machines: readonly MachineConfig[]): string[] {
  const complaints: string[] = [];
  const ids = machines.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) complaints.push(`names the machine "${twice}" twice`);
  if (machines.length > MACHINES_MAX) complaints.push(`names more than ${MACHINES_MAX} machines; use another agent`);
  return [...complaints, ...contradictionsOfInputs(machines)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Inputs {
  readonly id: string;
  readonly picture?: PictureConfig | undefined;
  readonly sound?: SoundConfig | undefined;
  readonly roomCamera?: RoomCameraConfig | undefined;
}

/** Sentences on settings that contradict each other, over all machines of one agent. */
function contradictionsOfInputs(machines: readonly Inputs[]): string[] {
  const complaints: string[] = [];
  for (const { id, picture, sound } of machines) {
    if (sound !== undefined && picture === undefined)
      complaints.push(`gives the machine "${id}" a sound without a picture; give it both`);
    if (sound?.kind === "rtsp" && picture?.kind !== "rtsp")
      complaints.push(`takes the sound of "${id}" from an rtsp picture that it does not have`);
  }
  const devices = machines.flatMap(devicesOf);
  const twice = devices.find((device, at) => devices.indexOf(device) !== at);
  // A capture device serves one at a time.
  if (twice !== undefined) complaints.push(`uses the device ${twice} twice`);
  return complaints;
}

function devicesOf({ picture, sound, roomCamera }: Inputs): string[] {
  const used: string[] = [];
  for (const place of [picture, roomCamera]) if (place?.kind === "v4l2") used.push(place.device);
  // Other names of ALSA are shared by its mixer.
  if (sound?.kind === "alsa" && /^(plug)?hw:/.test(sound.device)) used.push(sound.device);
  return used;
}

/** The default size of Node's thread pool, for files and encoders. */
const THREADS_ALWAYS = 4;

/**
 * The thread pool size that the process needs: an open input blocks one thread while it waits for its device, and without more of them
 * encoders and files would wait too. Must be set as UV_THREADPOOL_SIZE before the pool is first used.
 */
export function readingThreads(machines: readonly MachineConfig[]): number {
  const inputs = machines.flatMap(({ picture, sound, roomCamera }) => [picture, sound, roomCamera]);
  return THREADS_ALWAYS + inputs.filter((input) => input !== undefined && input.kind !== "none").length;
}
