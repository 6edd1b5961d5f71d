import type { Held } from "../figures/reach.ts";
import type { Spread } from "../figures/spread.ts";
import { spreadOf } from "../figures/spread.ts";
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
  const beside = (figure: (measured: Measured) => Spread | number | null): { held: Held } | undefined =>
    peer && { held: { peer: { name: peer.name, value: peer.measured && figure(peer.measured) } } };
  return [
    ...delays(id, ours, peers).map((row) => ({ ...ms, ...row })),
    { ...ms, what: "glass to glass, the page's readout", value: ours.readouts },
    { ...ms, what: "press to visible change", value: ours.presses, ...beside(({ presses }) => presses) },
    { ...ms, what: "longest gap between pictures", value: ours.longestGapMs, ...beside((one) => one.longestGapMs) },
    pictures(name, ours, peer),
    { condition: name, unit: "times", what: "presses not seen", value: ours.pressesNotSeen },
    ...stages(ours).map((row) => ({ ...ms, ...row })),
    { ...ms, what: "in the peer too: source to browser", value: ours.toBrowser, ...beside((one) => one.toBrowser) },
    { ...ms, what: "in the peer too: jitter buffer", value: ours.jitterMs, ...beside((one) => one.jitterMs) },
    { ...ms, what: "in the peer too: decode", value: ours.decode, ...beside((one) => one.decode) },
    { ...ms, what: "in the peer too: present", value: ours.present, ...beside((one) => one.present) },
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

/** Each stage by itself, and their middle values summed beside the middle of the whole. */
function stages({ pictures: times, pressTimes, jitterMs }: Ours): Row[] {
  const parts: readonly (readonly [string, Spread | number | null])[] = [
    ["capture", spreadOf(times.map(({ capture }) => capture))],
    ["encode", spreadOf(times.map(({ encode }) => encode))],
    ["send", spreadOf(times.map(({ send }) => send))],
    ["network", spreadOf(times.map(({ network }) => network))],
    ["jitter buffer (mean)", jitterMs],
    ["decode", spreadOf(times.map(({ decode }) => decode))],
    ["present (inferred)", jitterMs === null ? null : spreadOf(times.map(({ rest }) => rest - jitterMs))],
  ];
  const presses: readonly (readonly [string, Spread | number | null])[] = [
    ["to the agent", spreadOf(pressTimes.map(({ toAgent }) => toAgent))],
    ["machine, until its picture", spreadOf(pressTimes.map(({ machine }) => machine))],
    ["its picture", spreadOf(pressTimes.map(({ picture }) => picture))],
  ];
  return [
    ...parts.map(([what, value]) => ({ what: `stage: ${what}`, value })),
    summed("stages summed", parts, spreadOf(times.map(({ whole }) => whole))),
    ...presses.map(([what, value]) => ({ what: `press: ${what}`, value })),
    summed("press, summed", presses, spreadOf(pressTimes.map(({ whole }) => whole))),
  ];
}

/** The sum of the middle values; held against the middle of the whole, which it would equal if nothing were missing or told twice. */
function summed(
  what: string,
  parts: readonly (readonly [string, Spread | number | null])[],
  whole: Spread | null,
): Row {
  const middles = parts.map(([, value]) => (typeof value === "object" ? (value?.p50 ?? null) : value));
  const known = middles.filter((middle) => middle !== null);
  const value = known.length < middles.length ? null : known.reduce((sum, middle) => sum + middle, 0);
  return { what, value, held: { peer: { name: "the whole", value: whole } } };
}
