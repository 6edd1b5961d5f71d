import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Spread } from "../../rig/figures.ts";
import { meanOf, spreadOf } from "../../rig/figures.ts";
import { Advice } from "../../tooling/bootstrap/advice.mjs";
import type { Condition } from "../options.ts";
import type { Peer } from "../peer/peer.ts";
import { measurePeer } from "../peer/peer.ts";
import type { Held, Part, Result } from "../result.ts";
import type { BenchPlayer } from "../setup/page-player.ts";
import { openPlayer } from "../setup/page-player.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";
import type { Measured } from "./measured.ts";
import { measuredOf, strayed } from "./measured.ts";
import type { PictureTimes, PressTimes } from "./stages.ts";
import { timesOfPictures, timesOfPresses } from "./stages.ts";

/** How long the reels are kept turning over each way, ms; on the narrow one the first 10 to 15 s are the way to its rate. */
const SHORT_MS = 12_000;
const LONG_MS = 40_000;

/** Glass to glass and press to visible change over each way, what they are made of, and the same machine through Janus. */
export const latency: Part = over(SHORT_MS);
/** The same for longer. */
export const latencyLong: Part = over(LONG_MS);

/** A way that fails does not cost the others. */
function over(playMs: number): Part {
  return async (setup, report, ways) => {
    const failures: string[] = [];
    let udp: Ours | undefined;
    for (const way of ways) {
      try {
        const { ours, peers } = await measure(setup, way, playMs);
        if (way.id === "clean") udp = ours;
        for (const row of rowsOf(way, ours, peers, udp)) report(row);
      } catch (error) {
        const sentence = `${way.name}: ${error instanceof Error ? error.message : String(error)}`;
        // A program of others that cannot be had is no fault of a run.
        if (error instanceof Advice) setup.say(sentence);
        else failures.push(sentence);
        report({ what: "glass to glass", condition: way.name, unit: "ms", value: null });
      }
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  };
}

async function measure(setup: Setup, way: Condition, playMs: number): Promise<{ ours: Ours; peers: Peer[] }> {
  setup.say(`Playing: ${way.name}`);
  const ours = await measureOurs(setup, way, playMs);
  setup.say(`The peer: ${way.name}`);
  const peers = [await measurePeer(setup, way, playMs, true)];
  if (way.id === "clean") peers.push(await measurePeer(setup, way, playMs, false));
  return { ours, peers };
}

type Ours = Measured & {
  /** What the page itself says. */
  readonly readouts: Spread | null;
  /** Pictures that left the agent; the page may have shown fewer. */
  readonly sentPerSecond: number;
  /** Everything that went to the page over its relays; null on a straight path. */
  readonly sentMbps: number | null;
  readonly pictures: readonly PictureTimes[];
  readonly pressTimes: readonly PressTimes[];
};

/** Plays for so long over a way, and reads what page and agent saw of it. @throws Error when the media went another way. */
export async function measureOurs(setup: Setup, condition: Condition, playMs: number): Promise<Ours> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const { damage, turn } = condition;
  // The peer has none.
  const bench = await openPlayer(setup, player, damage, { withoutRoom: true, ...(turn && { turn }) });
  try {
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    await setup.stages.take();
    await bench.take();
    const from = await bench.sums();
    const bytesFrom = await bytesTo(bench);
    const { presses } = await bench.spinFor(playMs);
    const bytes = (await bytesTo(bench)) - bytesFrom;
    const to = await bench.sums();
    const seen = await bench.take();
    const elsewhere = strayed(condition, to);
    if (elsewhere !== null) throw new Error(`${condition.name}: ${elsewhere}.`);
    const agent = await setup.stages.take();
    await bench.leave();
    return {
      ...measuredOf(seen, presses, { from, to }),
      readouts: spreadOf(seen.readoutsMs),
      sentMbps: bench.path === null ? null : (bytes * 8) / playMs / 1_000,
      sentPerSecond: perSecond(agent.pictures.map(({ sentAtMs }) => sentAtMs)),
      pictures: timesOfPictures(seen.frames, agent.pictures),
      pressTimes: timesOfPresses(seen.presses, agent.pictures, agent.pressesAt),
    };
  } finally {
    await bench.close();
  }
}

async function bytesTo(bench: BenchPlayer): Promise<number> {
  const relays = (await bench.path?.relays()) ?? [];
  return relays.reduce((sum, { toBrowser }) => sum + toBrowser.bytes, 0);
}

function perSecond(times: readonly number[]): number {
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return lastedMs <= 0 ? 0 : ((times.length - 1) * 1_000) / lastedMs;
}

/** At most this share of the middle delay of the peer as it comes is wanted on the clean way. One that shows each picture at once is at the same limit. */
const SHARE_MAX = 0.33;
/** A way on which fewer pictures come is not played over, a second. */
const PLAYS_FROM = 1;
/** Over TCP: wanted of the peer's pictures at least, and of a press over UDP in the same run at most. */
const TCP = { pictures: 0.95, press: 1.3 } as const;
const isTcp = (id: Condition["id"]) => id === "tcp" || id === "turn-tcp";

/** Rows of one way: the whole, what it is made of, and the same of the peer beside it. `udp`: the clean way of this run. */
function rowsOf({ id, name }: Condition, ours: Ours, peers: readonly Peer[], udp: Ours | undefined): Result[] {
  const ms = { condition: name, unit: "ms" } as const;
  const [peer] = peers;
  const besidePeer = (figure: (measured: Measured) => Spread | number | null): { held: Held } | undefined =>
    peer && { held: { peer: { name: peer.name, value: peer.measured && figure(peer.measured) } } };
  return [
    ...delays(id, ours, peers).map((row) => ({ ...ms, ...row })),
    { ...ms, what: "glass to glass, the page's readout", value: ours.readouts },
    { ...ms, what: "press to visible change", value: ours.presses, ...besidePeer(({ presses }) => presses) },
    ...(isTcp(id) && udp !== undefined ? [{ ...ms, ...pressBesideUdp(ours, udp) }] : []),
    { ...ms, what: "longest gap between pictures", value: ours.longestGapMs, ...besidePeer((one) => one.longestGapMs) },
    pictures(id, name, ours, peer),
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

/** On the clean way beside each tuning of the peer; wanted is a share of the last one, the peer as it comes. */
function delays(id: Condition["id"], { ages }: Ours, peers: readonly Peer[]): Row[] {
  return peers.map(({ name, measured }, at) => ({
    what: at === 0 ? "glass to glass" : "glass to glass, peer as it comes",
    value: ages,
    held: {
      peer: { name, value: measured?.ages ?? null },
      ...(id === "clean" && at > 0 && { reach: { of: "ratio", atMost: SHARE_MAX } as const }),
    },
  }));
}

function pressBesideUdp({ presses }: Ours, udp: Ours): Row {
  const held: Held = { peer: { name: "UDP", value: udp.presses }, reach: { of: "ratio", atMost: TCP.press } };
  return { what: "press to visible change, beside UDP", value: presses, held };
}

function pictures(id: Condition["id"], condition: string, ours: Ours, peer: Peer | undefined): Result {
  const theirs = peer && { peer: { name: peer.name, value: peer.measured?.picturesPerSecond ?? null } };
  const reach: Held["reach"] =
    isTcp(id) && peer?.measured ? { of: "ratio", atLeast: TCP.pictures } : { of: "figure", atLeast: PLAYS_FROM };
  return {
    ...{ condition, unit: "a second", what: "pictures", value: ours.picturesPerSecond },
    held: { ...theirs, reach },
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
