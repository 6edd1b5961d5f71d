import { createHash } from "node:crypto";
import type { GameFacts } from "../../agent-link.ts";
import { auditCanonical } from "../audit-link.ts";
import type { AuditText } from "../format.ts";
import { segmentFile } from "../format.ts";
import type { PackedFile } from "../pack.ts";
import { packEvidence, packedFile, packedJson } from "../pack.ts";

const hash = (...parts: (string | Uint8Array)[]): string => {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest("hex");
};
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const isoOf = (ms: number): string => new Date(ms).toISOString();

type RecordedGame = {
  readonly session: string;
  readonly machine: string;
  readonly game: GameFacts;
};

/** What an agent keeps of a short game: three segments of two seconds, the game in the second. No video can be played. */
export function recordGame({ session, machine, game }: RecordedGame) {
  const FROM = Date.parse(game.startedAt) - 2_500;
  const meters = { credit: game.after, gamesPlayed: game.gameNumber, activeBand: null, inGame: false };
  const head = { machineId: machine, seq: 1, at: game.endedAt, playSessionId: session, meters };
  const event = { t: "event", at: FROM + 3_501, report: { ...head, phase: "ended", game } };
  let [index, chain, prev] = ["", "", "0".repeat(64)];
  const files = new Map<string, Uint8Array>();
  const segments = [1, 2, 3].map((n) => {
    const bytes = bytesOf(`segment ${n}`);
    const [from, to] = [FROM + (n - 1) * 2_000, FROM + n * 2_000];
    const lines = [{ t: n === 1 ? "begin" : "seat", at: from, epoch: 1 }, ...(n === 2 ? [event] : [])]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
    const segment = { n, from, to, frames: 60, bytes: bytes.length, sha256: hash(bytes) };
    const sealed = JSON.stringify({ t: "sealed", at: to, wall: to, link: n, segment, lines: hash(lines), prev });
    index += `${lines}${sealed}\n`;
    chain += `${sealed}\n`;
    prev = hash(sealed);
    const name = `${String(n).padStart(7, "0")}.mp4`;
    files.set(segmentFile(name), bytes);
    return { name, number: n, fromMs: from, toMs: to, frames: 60, bytes: bytes.length, sha256: hash(bytes) };
  });
  const partOf = (name: string, text: string) => {
    files.set(name, bytesOf(text));
    return { name, bytes: bytesOf(text).length, sha256: hash(text) };
  };
  return { segments, files, head: prev, index: partOf("index.jsonl", index), chain: partOf("chain.jsonl", chain) };
}

/** Everything of one export, as values; change one and pack it anew. */
export type SmallExport = ReturnType<typeof smallExport>;

const FROM = Date.parse("2026-11-29T07:00:00.000Z");
const SESSION = "ps_one";
const MACHINE = "nar-01";

/** An export of such a game, which was anchored. */
export function smallExport() {
  const facts = { gameNumber: 7, stake: 100, win: 50, before: 950, after: 900, handPaid: 0 };
  const times = { startedAt: isoOf(FROM + 2_500), endedAt: isoOf(FROM + 3_500) };
  const { segments, files, head } = recordGame({ session: SESSION, machine: MACHINE, game: { ...facts, ...times } });
  const game = {
    ...{ id: `7.${MACHINE}`, number: 7, machine: "Narwhal 1", session: SESSION },
    ...{ start: times.startedAt, end: times.endedAt, stake: 100, win: 50, handPaid: 0, before: 950, after: 900 },
    ...{ freeSpins: null, bonus: null, addsUp: true },
  };
  const entry: AuditText = {
    ...{ id: "5", at: "2026-11-29T07:00:09.000000Z", source: "platform", type: "recording.anchored" },
    ...{ actor: "agent:floor", subject: `session:${SESSION}`, address: null, before: null, after: null },
    facts: JSON.stringify({ machineId: MACHINE, links: 3, head }),
  };
  const link = { position: 5, previous: hash("the link before"), entry };
  const linked = { ...link, hash: hash(Buffer.from(link.previous, "hex"), auditCanonical(link.position, entry)) };
  return {
    values: {
      "question.json": {
        ...{ id: "dq_one", number: 1, player: "deniz", machine: MACHINE, kind: "winNotCounted" },
        ...{ openedAt: times.endedAt, dueAt: times.endedAt, decidedAt: null, verdict: null, amount: null },
        transfer: null,
        steps: [{ at: times.endedAt, kind: "opened", sentence: null, text: "It paid 50." }],
      },
      "game.json": game,
      "ledger.json": {
        ...{ from: isoOf(FROM), to: isoOf(FROM + 6_000) },
        booked: [
          {
            ...{ id: "game:1", kind: "game", from: `machine:${MACHINE}`, to: "house", amount: 50, at: times.endedAt },
            isOfGame: true,
          },
        ],
      },
      "clip.json": {
        ...{ machineId: MACHINE, playSessionId: SESSION, fromMs: FROM, toMs: FROM + 6_000, state: "ready" },
        ...{ reason: null, segments, gaps: [] as { fromMs: number; toMs: number; why: string }[] },
        ...{ skewMs: 0.5, skewWithinMs: 2 },
      },
      "audit.json": { links: [linked], tail: { position: 5, hash: linked.hash } },
    },
    files: new Map([["viewer.html", bytesOf("<!doctype html>")], ...files]),
  };
}

/** The export as one file, with its fingerprint. */
export async function packSmall({ values, files }: SmallExport): Promise<{ zip: Uint8Array; fingerprint: string }> {
  const packed: PackedFile[] = [];
  for (const [name, value] of Object.entries(values)) packed.push(await packedJson(name, value));
  for (const [name, content] of files) packed.push(await packedFile(name, content));
  const evidence = await packEvidence({ question: "dq_one", madeAt: "2026-11-29T07:10:00.000Z" }, packed);
  if (evidence === undefined) throw new Error("A small export is not too large.");
  const parts: Uint8Array[] = [];
  for await (const part of evidence.parts()) parts.push(part);
  return { zip: new Uint8Array(Buffer.concat(parts)), fingerprint: evidence.fingerprint };
}
