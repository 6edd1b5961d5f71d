import * as z from "zod/mini";
import type { WiredMachine } from "../buttons/config.ts";
import { contradictionsOfButtons } from "../buttons/config.ts";
import { DRIVERS, driverOf } from "../drivers/registry.ts";
import type { DriverKind } from "../ports/driver.ts";
import type { MachineConfig } from "./entry.ts";
import { MachineEntry } from "./entry.ts";
import type { PictureConfig, RoomCameraConfig, SoundConfig } from "./pictures.ts";

/** Machines of one agent: more would not fit the one frame of `hello`. */
export const MACHINES_MAX = 32;

/** What the parser is given with every schema. */
const IN_OUR_WORDS = { error: complaintOf };

type Read = { machines: MachineConfig[]; complaints: string[] };

/** Reads the list of machines. Complaints are sentences that name the place in the list. */
export function readMachines(json: string): Read {
  const given = z.safeParse(z.array(z.unknown()).check(z.minLength(1)), parseJson(json), IN_OUR_WORDS);
  if (!given.success) return { machines: [], complaints: given.error.issues.map((issue) => sentenceOf([], issue)) };
  const read = given.data.map((entry, place) => readEntry(entry, [place]));
  const complaints = read.flatMap((one) => one.complaints);
  if (complaints.length > 0) return { machines: [], complaints };
  const machines = read.flatMap((one) => one.machines);
  return { machines, complaints: contradictions(machines) };
}

/** One entry of the list: a machine, or several that one driver makes of it. */
function readEntry(entry: unknown, place: readonly PropertyKey[]): Read {
  const named = z.safeParse(z.looseObject({ driver: z.enum([...DRIVERS.keys()]) }), entry, IN_OUR_WORDS);
  if (!named.success) return complain(place, named.error);
  const kind = driverOf(named.data);
  return kind.group !== undefined && kind.group.key in named.data
    ? readGroup(kind, kind.group, entry, place)
    : readMachine(kind, entry, place);
}

function readMachine(kind: DriverKind, entry: unknown, place: readonly PropertyKey[]): Read {
  const schema = z.strictObject({ driver: z.string(), ...MachineEntry.shape, ...kind.options.shape });
  const parsed = z.safeParse(schema, entry, IN_OUR_WORDS);
  if (!parsed.success) return complain(place, parsed.error);
  const isOwn = ([key]: [string, unknown]): boolean => Object.hasOwn(kind.options.shape, key);
  const fields = Object.entries(parsed.data);
  const machine = Object.fromEntries(fields.filter((field) => !isOwn(field)));
  // Both halves were checked by the schema above.
  return { machines: [{ ...machine, own: Object.fromEntries(fields.filter(isOwn)) } as MachineConfig], complaints: [] };
}

function readGroup(
  kind: DriverKind,
  { key, value, entries }: NonNullable<DriverKind["group"]>,
  entry: unknown,
  place: readonly PropertyKey[],
): Read {
  const parsed = z.safeParse(z.strictObject({ driver: z.string(), [key]: value }), entry, IN_OUR_WORDS);
  if (!parsed.success) return complain(place, parsed.error);
  const read = entries(parsed.data[key]).map((one) => readMachine(kind, one, place));
  return { machines: read.flatMap((one) => one.machines), complaints: read.flatMap((one) => one.complaints) };
}

function complain(place: readonly PropertyKey[], { issues }: z.core.$ZodError): Read {
  return { machines: [], complaints: issues.map((issue) => sentenceOf([...place, ...issue.path], issue)) };
}

/** A place and what is wrong there. Never the value: it may be an address with a password. */
function sentenceOf(path: readonly PropertyKey[], issue: z.core.$ZodIssue): string {
  return `at ${path.map(String).join(".") || "the list"}: ${issue.message}`;
}

/** For what a schema has no words of its own: the library's depend on which other of its parts the process has loaded. */
function complaintOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "unrecognized_keys") return `does not know ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  return issue.code === "invalid_type" ? `must be of the kind ${issue.expected}` : "Invalid input";
}

function contradictions(machines: readonly MachineConfig[]): string[] {
  const complaints: string[] = [];
  const ids = machines.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) complaints.push(`names the machine "${twice}" twice`);
  if (machines.length > MACHINES_MAX) complaints.push(`names more than ${MACHINES_MAX} machines; use another agent`);
  return [...complaints, ...contradictionsOfInputs(machines), ...contradictionsOfButtons(machines.flatMap(wiredOf))];
}

function wiredOf(machine: MachineConfig): WiredMachine[] {
  const wired = driverOf(machine).wired?.(machine);
  return wired === undefined ? [] : [{ id: machine.id, ...wired }];
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
  readonly driver: string;
  readonly demonstration?: boolean | undefined;
  readonly picture?: PictureConfig | undefined;
  readonly sound?: SoundConfig | undefined;
  readonly roomCamera?: RoomCameraConfig | undefined;
}

/** Sentences on settings that contradict each other, over all machines of one agent. */
function contradictionsOfInputs(machines: readonly Inputs[]): string[] {
  const complaints: string[] = [];
  for (const { id, driver, picture, sound } of machines) {
    if (picture === undefined && driverOf({ driver }).paint === undefined)
      complaints.push(`gives the machine "${id}" no picture; its driver paints none`);
    if (sound !== undefined && picture === undefined)
      complaints.push(`gives the machine "${id}" a sound without a picture; give it both`);
    if (sound?.kind === "rtsp" && picture?.kind !== "rtsp")
      complaints.push(`takes the sound of "${id}" from an rtsp picture that it does not have`);
  }
  for (const machine of machines.filter(showsAnother))
    complaints.push(
      `shows a camera or a screen as the simulated machine "${machine.id}": players would see a machine that they do not play. Set "demonstration": true where that is the purpose`,
    );
  const devices = machines.flatMap(devicesOf);
  const twice = devices.find((device, at) => devices.indexOf(device) !== at);
  // A capture device serves one at a time.
  if (twice !== undefined) complaints.push(`uses the device ${twice} twice`);
  return complaints;
}

/** A simulated machine with a picture that is neither painted by its driver nor a test pattern. */
function showsAnother({ driver, demonstration, picture, roomCamera }: Inputs): boolean {
  if (demonstration === true || !driverOf({ driver }).simulated) return false;
  return [picture, roomCamera].some((one) => one !== undefined && one.kind !== "none" && one.kind !== "test");
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
