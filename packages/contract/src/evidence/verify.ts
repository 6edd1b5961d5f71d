import * as z from "zod/mini";
import type { GameFacts } from "../agent-link.ts";
import { Game } from "../agent-link.ts";
import type { PlayedGame } from "../player-record.ts";
import { isLinked } from "./audit-link.ts";
import { manifestIn, sha256, unpack } from "./container.ts";
import type { EvidenceFinding, Findings } from "./findings.ts";
import { createFindings } from "./findings.ts";
import type { EvidenceAudit, EvidenceClip, EvidenceFile, EvidenceFileName, EvidenceManifest } from "./format.ts";
import {
  CHAIN_FILE,
  EVIDENCE_FILES,
  INDEX_FILE,
  EvidenceManifest as Manifest,
  Sha256,
  segmentFile,
  VIEWER_NAME,
} from "./format.ts";
import { judgeGame } from "./judge-game.ts";

/* What of an export proves itself, without network and without Longarm: for the viewer, the command line, the daily sample and their tests (record 0224). */

export type EvidenceReport = {
  readonly findings: readonly EvidenceFinding[];
  /** Nothing is wrong. */
  readonly whole: boolean;
  /** The hash of the manifest; null: there is none that can be read. */
  readonly fingerprint: string | null;
  readonly content: EvidenceContent | null;
};

/** The files as they were read; null: not as they must be. */
export type EvidenceContent = { readonly [Name in EvidenceFileName]: EvidenceFile<Name> | null } & {
  readonly manifest: EvidenceManifest;
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** Verifies an export as one file. @param known the fingerprint, where it is known from elsewhere. */
export async function verifyExport(zip: Uint8Array, known?: string): Promise<EvidenceReport> {
  const findings = createFindings();
  const manifestBytes = manifestIn(zip);
  const manifest = manifestBytes && readJson(manifestBytes, Manifest);
  if (manifestBytes === undefined || manifest === undefined) {
    findings.wrong("files", "noManifest");
    return { findings: findings.all(), whole: false, fingerprint: null, content: null };
  }
  const { files, wrongAt } = unpack(zip, manifestBytes, manifest);
  if (wrongAt !== undefined) findings.wrong("files", "otherFromByte", { at: wrongAt });
  const fingerprint = await sha256(manifestBytes);
  if (known === undefined) findings.absent("fingerprint", "noFingerprint");
  else if (known.trim().toLowerCase() !== fingerprint)
    findings.wrong("fingerprint", "otherFingerprint", { fingerprint });
  findings.looked("fingerprint");
  await verifyFiles(files, manifest, findings);
  const content = contentOf(files, manifest, findings);
  await verifyContent(content, findings);
  const found = findings.all();
  return { findings: found, whole: found.every(({ is }) => is !== "wrong"), fingerprint, content };
}

/** The same of files that were not packed: of what the platform itself has. */
export async function verifyKept(
  kept: Omit<EvidenceContent, "manifest">,
): Promise<Pick<EvidenceReport, "findings" | "whole">> {
  const findings = createFindings();
  await verifyContent(kept, findings);
  const found = findings.all();
  return { findings: found, whole: found.every(({ is }) => is !== "wrong") };
}

/** A JSON file, which may have been written in one way only. */
function readJson<Schema extends z.ZodMiniType>(bytes: Uint8Array, schema: Schema): z.output<Schema> | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const read = z.safeParse(schema, value);
    return read.success && JSON.stringify(value) === text ? read.data : undefined;
  } catch {
    return undefined;
  }
}

async function verifyFiles(
  files: ReadonlyMap<string, Uint8Array>,
  { files: listed }: EvidenceManifest,
  { wrong, looked }: Findings,
): Promise<void> {
  const names = new Set(listed.map(({ name }) => name));
  if (names.size !== listed.length) wrong("files", "namedTwice");
  for (const name of [...Object.keys(EVIDENCE_FILES), VIEWER_NAME])
    if (!names.has(name)) wrong("files", "fileMissing", { name });
  for (const { name, sha256: sum } of listed) {
    const bytes = files.get(name);
    if (bytes === undefined || (await sha256(bytes)) !== sum) wrong("files", "otherFile", { name });
  }
  looked("files");
}

function contentOf(
  files: ReadonlyMap<string, Uint8Array>,
  manifest: EvidenceManifest,
  { wrong }: Findings,
): EvidenceContent {
  const read = <Name extends EvidenceFileName>(name: Name): EvidenceFile<Name> | null => {
    const bytes = files.get(name);
    const value = bytes && readJson(bytes, EVIDENCE_FILES[name]);
    if (value === undefined) wrong("files", "unreadable", { name });
    return (value as EvidenceFile<Name> | undefined) ?? null;
  };
  return {
    ...{ manifest, files },
    ...{ "question.json": read("question.json"), "game.json": read("game.json"), "ledger.json": read("ledger.json") },
    ...{ "clip.json": read("clip.json"), "audit.json": read("audit.json") },
  };
}

async function verifyContent(content: Omit<EvidenceContent, "manifest">, findings: Findings): Promise<void> {
  const { files } = content;
  const clip = content["clip.json"];
  const chain = await readChain(files.get(CHAIN_FILE), findings);
  const index = await readIndex(files.get(INDEX_FILE), chain, findings);
  if (clip !== null) await verifySegments(clip, files, chain, findings);
  const audit = content["audit.json"];
  if (audit !== null) await verifyAudit(audit, clip, chain, findings);
  const game = content["game.json"];
  if (clip !== null && game !== null) {
    verifyClip(clip, game, index, findings);
    judgeGame({ game, clip, ledger: content["ledger.json"], ends: index.ends }, findings);
  }
}

const Sealed = z.object({
  t: z.literal("sealed"),
  link: z.int().check(z.gte(1)),
  segment: z.nullable(
    z.object({ n: z.int(), from: z.number(), to: z.number(), frames: z.int(), bytes: z.int(), sha256: Sha256 }),
  ),
  lines: Sha256,
  prev: Sha256,
});
type Sealed = z.infer<typeof Sealed>;
type Link = { readonly sealed: Sealed; readonly hash: string };
/** By the number of the link. */
type Chain = ReadonlyMap<number, Link>;

const FIRST = "0".repeat(64);
const NEWLINE = 0x0a;

/** The lines of a file with their bytes. Undefined: the last one has no end. */
function linesOf(bytes: Uint8Array): Uint8Array[] | undefined {
  const lines: Uint8Array[] = [];
  let from = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return from === bytes.length ? lines : undefined;
}

function parse(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
}

const sealedIn = (line: Uint8Array): Sealed | undefined => {
  const read = z.safeParse(Sealed, parse(line));
  return read.success ? read.data : undefined;
};

async function readChain(bytes: Uint8Array | undefined, { wrong, absent, looked }: Findings): Promise<Chain> {
  const chain = new Map<number, Link>();
  if (bytes === undefined) {
    absent("chain", "noRecording");
    return chain;
  }
  const lines = linesOf(bytes);
  if (lines === undefined) wrong("chain", "chainBreaksOff");
  let before = FIRST;
  for (const line of lines ?? []) {
    const sealed = sealedIn(line);
    const wanted = chain.size + 1;
    if (sealed === undefined || sealed.link !== wanted || sealed.prev !== before) {
      wrong("chain", "linkMisplaced", { link: wanted });
      break;
    }
    before = await sha256(line);
    chain.set(sealed.link, { sealed, hash: before });
  }
  looked("chain");
  return chain;
}

/** The games that ended by the index, and the segments whose lines it has. */
type Index = { readonly ends: readonly GameFacts[]; readonly segments: readonly NonNullable<Sealed["segment"]>[] };

async function readIndex(bytes: Uint8Array | undefined, chain: Chain, findings: Findings): Promise<Index> {
  const { wrong, absent, looked } = findings;
  const ends: GameFacts[] = [];
  const segments: NonNullable<Sealed["segment"]>[] = [];
  if (bytes === undefined) {
    absent("index", "noRecording");
    return { ends, segments };
  }
  const lines = linesOf(bytes);
  let [from, at, last] = [0, 0, 0];
  for (const line of lines ?? []) {
    const sealed = sealedIn(line);
    if (sealed === undefined) ends.push(...gameEndedIn(line));
    else {
      const known = chain.get(sealed.link);
      const isNext = last === 0 || sealed.link === last + 1;
      if (!isNext) wrong("index", "linesMissing", { from: last, to: sealed.link });
      if (known === undefined || known.hash !== (await sha256(line)))
        wrong("index", "otherLink", { link: sealed.link });
      if (sealed.lines !== (await sha256(bytes.subarray(from, at))))
        wrong("index", "otherLines", { link: sealed.link });
      if (sealed.segment !== null) segments.push(sealed.segment);
      last = sealed.link;
      from = at + line.length + 1;
    }
    at += line.length + 1;
  }
  if (lines === undefined || from !== bytes.length) wrong("index", "unsealedEnd");
  looked("index");
  return { ends, segments };
}

function gameEndedIn(line: Uint8Array): GameFacts[] {
  const read = z.safeParse(z.object({ t: z.literal("event"), report: Game }), parse(line));
  return read.success && read.data.report.phase === "ended" ? [read.data.report.game] : [];
}

async function verifySegments(
  { segments }: EvidenceClip,
  files: ReadonlyMap<string, Uint8Array>,
  chain: Chain,
  { wrong, absent, looked }: Findings,
): Promise<void> {
  const sealed = new Map(
    [...chain.values()].flatMap(({ sealed: { segment } }) => (segment === null ? [] : [[segment.n, segment] as const])),
  );
  if (segments.length === 0) absent("segments", "noVideo");
  const names = new Set(segments.map(({ name }) => segmentFile(name)));
  for (const name of files.keys())
    if (name.endsWith(".mp4") && !names.has(name)) wrong("segments", "strayVideo", { name });
  let last = 0;
  for (const { number, name, fromMs, toMs, frames, bytes, sha256: sum } of segments) {
    const one = sealed.get(number);
    const content = files.get(segmentFile(name));
    const isSealed =
      one !== undefined &&
      [one.from, one.to, one.frames, one.bytes, one.sha256].every((value, n) =>
        Object.is(value, [fromMs, toMs, frames, bytes, sum][n]),
      );
    if (!isSealed) wrong("segments", "otherSegment", { number });
    if (content === undefined || content.length !== bytes || (await sha256(content)) !== sum)
      wrong("segments", "otherVideo", { name, number });
    if (number <= last) wrong("segments", "segmentMisplaced", { number });
    last = number;
  }
  looked("segments");
}

const AnchorFacts = z.object({ machineId: z.string(), links: z.int(), head: z.string() });

async function verifyAudit(
  { links }: EvidenceAudit,
  clip: EvidenceClip | null,
  chain: Chain,
  { wrong, absent, looked }: Findings,
): Promise<void> {
  let anchored = 0;
  for (const link of links) {
    const { position, entry } = link;
    if (!(await isLinked(link))) wrong("audit", "otherEntry", { position });
    if (clip === null || entry.type !== "recording.anchored" || entry.subject !== `session:${clip.playSessionId}`)
      continue;
    const facts = z.safeParse(AnchorFacts, parse(new TextEncoder().encode(entry.facts)));
    if (!facts.success || facts.data.machineId !== clip.machineId) continue;
    const { links: at, head } = facts.data;
    // What was recorded after the clip was fetched is not in it.
    if (at > chain.size) continue;
    if (chain.get(at)?.hash !== head) wrong("anchor", "otherAnchor", { link: at });
    else anchored = Math.max(anchored, at);
  }
  if (links.length === 0) absent("audit", "noEntry");
  for (const [n, link] of links.entries()) {
    const before = links[n - 1];
    if (before === undefined) continue;
    if (link.position <= before.position) wrong("audit", "entryMisplaced", { position: link.position });
    if (link.position === before.position + 1 && link.previous !== before.hash)
      wrong("audit", "entryUnlinked", { position: link.position });
  }
  looked("audit");
  const numbers = new Set(clip?.segments.map(({ number }) => number));
  const newest = [...chain.values()].findLast(({ sealed: { segment } }) => segment !== null && numbers.has(segment.n));
  if (newest === undefined) absent("anchor", "noRecording");
  else if (anchored < newest.sealed.link) absent("anchor", "anchoredUpTo", { anchored, link: newest.sealed.link });
  looked("anchor");
}

/** A pause that is shorter is the distance of two frames, ms; agents say longer ones. */
const GAP_MS = 1_000;

/** Whether of the game's time there is a picture, or a gap that is said. */
function verifyClip(
  clip: EvidenceClip,
  game: PlayedGame,
  { segments }: Index,
  { wrong, absent, looked }: Findings,
): void {
  looked("clip");
  if (clip.segments.length === 0) {
    absent("clip", "noRecordingWhy", { reason: clip.reason ?? clip.state });
    return;
  }
  const [from, to] = [Date.parse(game.start), Date.parse(game.end)];
  if (clip.fromMs > from || clip.toMs < to) wrong("clip", "otherTime");
  const here = new Set(clip.segments.map(({ number }) => number));
  const known = [
    ...clip.segments.map((one) => ({ ...one, gap: false })),
    ...clip.gaps.map((one) => ({ ...one, gap: true })),
  ];
  for (const one of segments) {
    const isGap = clip.gaps.some(({ fromMs, toMs }) => fromMs <= one.from + GAP_MS && toMs >= one.to - GAP_MS);
    const isBeside = one.to <= clip.fromMs || one.from >= clip.toMs;
    if (!here.has(one.n) && !isGap && !isBeside) wrong("clip", "segmentLeftOut", { number: one.n });
  }
  let at = from;
  for (const { fromMs, toMs, gap } of known.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (toMs <= at || fromMs >= to) continue;
    if (fromMs - at > GAP_MS) break;
    if (gap) absent("clip", "gap", { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() });
    at = toMs;
  }
  if (to - at > GAP_MS) wrong("clip", "unsaidGap", { from: new Date(at).toISOString() });
}
