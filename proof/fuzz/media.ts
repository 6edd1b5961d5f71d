import { setTimeout as pause } from "node:timers/promises";
import { seeded } from "@longarm/load/people/person";
import fc from "fast-check";
import type { AgentProcess } from "./agent-process.ts";
import type { MediaTarget } from "./inputs.ts";
import { INPUTS } from "./inputs.ts";
import type { Watcher } from "./watcher.ts";
import { joinAsWatcher } from "./watcher.ts";

/** Inputs between two looks whether the agent still answers. */
const BATCH = 40;
/** Below what would end the connection, so that inputs get deep; the flood is another proof. */
const GAP_MS = 8;
const JOIN_MS = 10_000;
/** A handshake that was changed on its way may never end. */
const SPOILT_JOIN_MS = 400;
/** So many of the last inputs are kept, to say which one a fault may have come from. */
const KEPT = 60;
/** A connection that ended, as the guards have it, is opened again after so long; the platform limits offers as well. */
const AGAIN_MS = 100;
/** Of the inputs of a connection whose ICE begins anew again and again; the others are checks with the passwords of before. */
const RESTART_SHARE = 0.25;

export type Recent = { readonly note: (input: string) => void; readonly last: () => readonly string[] };

export function keepRecent(): Recent {
  const kept: string[] = [];
  return {
    note(input) {
      kept.push(input);
      if (kept.length > KEPT) kept.shift();
    },
    last: () => [...kept],
  };
}

export type Until = { readonly isOver: (inputs: number) => boolean; readonly seed: number };

export type MediaFigures = { readonly inputs: number; readonly joined: number; readonly refused: number };

/** Sends inputs of one protocol from watchers' connections until it is over. Throws `AgentGone` when the agent ends or hangs. */
export async function attackMedia(
  agent: AgentProcess,
  target: MediaTarget | "offer" | "restart",
  { isOver, seed }: Until,
  recent: Recent,
): Promise<MediaFigures> {
  let watcher: Watcher;
  let [inputs, joined, refused] = [0, 0, 0];
  for (let batch = 0; !isOver(inputs); batch += 1) {
    const random = seeded(seed + batch);
    if (target === "offer") {
      inputs += await attackByOffer(agent, random, recent);
      continue;
    }
    const sort = target === "restart" ? "stun" : target;
    if (target === "dtls") {
      const spoilt = await joinAsWatcher(agent, { waitMs: SPOILT_JOIN_MS, change: spoil(random, recent) });
      await spoilt?.close();
    }
    for (const make of fc.sample(INPUTS[sort], { seed: seed + batch, numRuns: BATCH })) {
      if (watcher === undefined || watcher.isOver()) {
        await watcher?.close();
        await pause(AGAIN_MS);
        watcher = await joinAsWatcher(agent, { waitMs: JOIN_MS });
        if (watcher === undefined) {
          refused += 1;
          break;
        }
        joined += 1;
      }
      if (target === "restart" && random() < RESTART_SHARE) {
        await beginIceAnew(agent, watcher, random, recent);
        inputs += 1;
        continue;
      }
      const { way, bytes } = make(watcher);
      recent.note(`${target} ${way} ${bytes.toString("hex")}`);
      await watcher[way](bytes);
      inputs += 1;
      await pause(GAP_MS);
    }
    await agent.expectAnswer();
  }
  await watcher?.close();
  return { inputs, joined, refused };
}

/** Changes what goes to a handshake: loses, doubles, delays and flips. */
function spoil(random: () => number, recent: Recent): (packet: Buffer) => Buffer[] {
  let held: Buffer | undefined;
  return (packet) => {
    const first = packet[0] ?? 0;
    if (first < 20 || first > 63 || random() < 0.4) return [packet];
    const changed = Buffer.from(packet);
    for (let flips = Math.floor(random() * 3); flips >= 0; flips -= 1)
      changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
    recent.note(`handshake ${changed.toString("hex")}`);
    const before = held;
    held = random() < 0.3 ? packet : undefined;
    const now =
      random() < 0.7 ? [changed, packet] : [changed, packet.subarray(0, Math.floor(random() * packet.length)), packet];
    return before === undefined ? now : [...now, before];
  };
}

const OFFER = [
  ...["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1", "a=ice-options:trickle"],
  ...["m=video 9 UDP/TLS/RTP/SAVPF 109", "c=IN IP4 0.0.0.0", "a=mid:0", "a=recvonly", "a=rtcp-mux", "a=setup:actpass"],
  ...["a=ice-ufrag:abcd", "a=ice-pwd:0123456789012345678901", `a=fingerprint:sha-256 ${"AA:".repeat(31)}AA`],
  ...["a=rtpmap:109 H264/90000", "a=fmtp:109 packetization-mode=1;profile-level-id=42e01f;level-asymmetry-allowed=1"],
  ...["a=rtcp-fb:109 nack", "a=extmap:2 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"],
  ...["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:1", "a=setup:actpass"],
  ...["a=ice-ufrag:abcd", "a=ice-pwd:0123456789012345678901", `a=fingerprint:sha-256 ${"AA:".repeat(31)}AA`],
  ...["a=sctp-port:5000", "a=max-message-size:262144", "a=candidate:1 1 udp 2122260223 127.0.0.1 50000 typ host"],
];
const ODD = [
  "",
  "0",
  "-1",
  "65536",
  "99999999999999999999",
  "a".repeat(5_000),
  "\u0000",
  "\u202e",
  "NaN",
  "1e9",
  "__proto__",
  "🎰",
];

/** Another offer on an open connection, with other ICE credentials and rarely with other changes. */
async function beginIceAnew(
  agent: AgentProcess,
  watcher: NonNullable<Watcher>,
  random: () => number,
  recent: Recent,
): Promise<void> {
  const word = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join("");
  const [name, password] = random() < 0.8 ? [word(4), word(24)] : [pickOf(ODD, random), pickOf(ODD, random)];
  const lines = watcher.offer
    .replaceAll(/^a=ice-ufrag:.*$/gm, `a=ice-ufrag:${name}`)
    .replaceAll(/^a=ice-pwd:.*$/gm, `a=ice-pwd:${password}`)
    .split("\r\n");
  const sdp = (random() < 0.7 ? lines : spoilLines(lines, random)).join("\r\n");
  recent.note(`restart ${JSON.stringify(sdp)}`);
  // The next packets come while it is being answered.
  const answered = agent.join(watcher.id, sdp);
  if (random() < 0.5) await answered;
  else answered.catch(() => undefined);
}

const pickOf = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)] as T;

function spoilLines(whole: readonly string[], random: () => number): string[] {
  const pick = <T>(from: readonly T[]): T => pickOf(from, random);
  const lines = [...whole];
  for (let changes = Math.floor(random() * 4); changes >= 0; changes -= 1) {
    const at = Math.floor(random() * lines.length);
    const line = lines[at] ?? "";
    const words = line.split(/([ :=/])/);
    words[Math.floor(random() * words.length)] = pick(ODD);
    const changed = pick([
      words.join(""),
      line.slice(0, Math.floor(random() * line.length)),
      `${line}\r\n${line}`,
      pick(OFFER),
    ]);
    lines.splice(at, pick([0, 1, 1, 1]), changed);
  }
  return lines;
}

let offers = 0;

async function attackByOffer(agent: AgentProcess, random: () => number, recent: Recent): Promise<number> {
  const pick = <T>(from: readonly T[]): T => pickOf(from, random);
  offers += 1;
  const [id, sdp] = [`offer-${offers}`, `${spoilLines(OFFER, random).join("\r\n")}\r\n`];
  recent.note(`offer ${JSON.stringify(sdp)}`);
  if ((await agent.join(id, sdp)) === undefined) return 1;
  for (let n = 0; n < 40; n += 1) {
    const candidate = [
      "candidate:1",
      "1",
      pick(["udp", "tcp", "UDP"]),
      "1",
      pick(["127.0.0.1", "::1", "x.local", ...ODD]),
    ];
    const text = [...candidate, pick(["1", "9", "70000", ...ODD]), "typ", pick(["host", "srflx", ...ODD])].join(" ");
    recent.note(`candidate ${JSON.stringify(text)}`);
    agent.trickle(id, text);
  }
  agent.leave(id);
  return 41;
}
