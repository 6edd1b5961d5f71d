import type { Held } from "../figures/reach.ts";
import type { Spread } from "../figures/spread.ts";
import { meanOf, spreadOf } from "../figures/spread.ts";
import type { Result } from "../parts/part.ts";
import type { Condition } from "../rig/conditions.ts";
import type { Measured } from "./measured.ts";
import type { Ours } from "./ours.ts";
import type { Peer } from "./peers.ts";

/** At most this share of the peer's middle delay is wanted on the clean way. */
const SHARE_MAX = 0.5;
/** A way on which fewer pictures come is not played over, a second. */
const PLAYS_FROM = 1;

/** Rows of one way: the whole, what it is made of, and the same of the peer beside it. */
export function rowsOf({ id, name }: Condition, ours: Ours, peers: readonly Peer[]): Result[] {
  const ms = { condition: name, unit: "ms" } as const;
  const [peer] = peers;
  const besidePeer = (figure: (measured: Measured) => Spread | number | null): { held: Held } | undefined =>
    peer && { held: { peer: { name: peer.name, value: peer.measured && figure(peer.measured) } } };
  return [
    ...delays(id, ours, peers).map((row) => ({ ...ms, ...row })),
    { ...ms, what: "glass to glass, the page's readout", value: ours.readouts },
    { ...ms, what: "press to visible change", value: ours.presses, ...besidePeer(({ presses }) => presses) },
    { ...ms, what: "longest gap between pictures", value: ours.longestGapMs, ...besidePeer((one) => one.longestGapMs) },
    pictures(name, ours, peer),
    { condition: name, unit: "a second", what: "pictures that the agent sent", value: ours.sentPerSecond },
    { condition: name, unit: "times", what: "presses not seen", value: ours.pressesNotSeen },
    ...stages(ours).map((row) => ({ ...ms, ...row })),
    { ...ms, what: "in the peer too: source to browser", value: ours.toBrowser, ...besidePeer((one) => one.toBrowser) },
    {
      ...ms,
      what: "in the peer too: jitter buffer (mean)",
      value: ours.jitterMs,
      ...besidePeer((one) => one.jitterMs),
    },
    { ...ms, what: "in the peer too: decode", value: ours.decode, ...besidePeer((one) => one.decode) },
    { ...ms, what: "in the peer too: present (mean)", value: ours.presentMs, ...besidePeer((one) => one.presentMs) },
  ];
}

type Row = Pick<Result, "what" | "value" | "held">;

/** On the clean way each tuning of the peer is one to be held against. */
function delays(id: Condition["id"], { ages }: Ours, peers: readonly Peer[]): Row[] {
  const reach = id === "clean" ? { reach: { of: "ratio", atMost: SHARE_MAX } as const } : {};
  return peers.map(({ name, measured }, at) => ({
    what: at === 0 ? "glass to glass" : "glass to glass, peer as it comes",
    value: ages,
    held: { peer: { name, value: measured?.ages ?? null }, ...reach },
  }));
}

function pictures(condition: string, ours: Ours, peer: Peer | undefined): Result {
  const theirs = peer && { peer: { name: peer.name, value: peer.measured?.picturesPerSecond ?? null } };
  return {
    ...{ condition, unit: "a second", what: "pictures", value: ours.picturesPerSecond },
    held: { ...theirs, reach: { of: "figure", atLeast: PLAYS_FROM } },
  };
}

/** Each stage by itself, and their means summed beside the mean of the whole as it was read from the pictures. */
function stages({ pictures, pressTimes, jitterMs, presentMs, meanAgeMs, meanPressMs }: Ours): Row[] {
  const ways = PICTURE_STAGES.map((stage) => ({ what: `stage: ${stage}`, values: pictures.map((one) => one[stage]) }));
  const [capture, encode, send, network, decode] = ways.map(({ what, values }) => ({ what, value: spreadOf(values) }));
  const inBrowser = { what: "stage: jitter buffer (mean)", value: jitterMs };
  const shown = { what: "stage: present (mean, inferred)", value: presentMs };
  const pressed = PRESS_STAGES.map(([what, stage]) => ({ what, values: pressTimes.map((one) => one[stage]) }));
  const sum = summed([...ways.map(({ values }) => meanOf(values)), jitterMs, presentMs]);
  return [
    ...[capture, encode, send, network, inBrowser, decode, shown].filter((row) => row !== undefined),
    { what: "stages, means summed", value: sum, held: beside("the whole, mean", meanAgeMs) },
    ...pressed.map(({ what, values }) => ({ what: `press: ${what}`, value: spreadOf(values) })),
    {
      what: "press, means summed",
      value: summed(pressed.map(({ values }) => meanOf(values))),
      held: beside("the whole, mean", meanPressMs),
    },
  ];
}

const PICTURE_STAGES = ["capture", "encode", "send", "network", "decode"] as const;
const PRESS_STAGES = [
  ["to the agent", "toAgent"],
  ["machine, until its picture", "machine"],
  ["its picture", "picture"],
] as const;

const beside = (name: string, value: number | null): Held => ({ peer: { name, value } });

function summed(means: readonly (number | null)[]): number | null {
  const known = means.filter((mean) => mean !== null);
  return known.length < means.length ? null : known.reduce((sum, mean) => sum + mean, 0);
}
