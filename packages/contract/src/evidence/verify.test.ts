import { beforeAll, describe, expect, test } from "vitest";
import { zipBytes } from "./container.ts";
import type { SmallExport } from "./testing/small-export.ts";
import { packSmall, smallExport } from "./testing/small-export.ts";
import { verifyExport } from "./verify.ts";

/* Every attack on an export is found: on its bytes, and on its content by somebody who packs it anew so that all sums are right. */

/** From one byte that is attacked to the next: each by `npm test -- all`. */
const STEP = process.env["LONGARM_TESTS"] === "all" ? 1 : 13;

let zip: Uint8Array;
let fingerprint: string;
beforeAll(async () => {
  ({ zip, fingerprint } = await packSmall(smallExport()));
});

const stateOf = async (bytes: Uint8Array, known?: string) => {
  const { findings, whole } = await verifyExport(bytes, known);
  return { whole, ...Object.fromEntries(findings.map(({ check, is }) => [check, is])) };
};

test("an untouched export proves everything", async () => {
  const all = await verifyExport(zip, fingerprint);
  expect(all.findings.filter(({ is }) => is !== "proved")).toEqual([]);
  expect(all).toMatchObject({ whole: true, fingerprint });
  expect(await stateOf(zip)).toMatchObject({ whole: true, fingerprint: "absent" });
});

test("each byte that is changed is found", async () => {
  const unfound: number[] = [];
  for (let at = 0; at < zip.length; at += STEP) {
    const changed = zip.slice();
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    if ((await verifyExport(changed)).whole) unfound.push(at);
  }
  expect(unfound).toEqual([]);
});

test("an export that is cut off, longer, doubled or turned is found, and so is each part that is missing, doubled or swapped", async () => {
  const [half, tail] = [zip.slice(0, zip.length / 2), zip.slice(zip.length / 2)];
  const attacks = [
    ...[0, 1, 22, 29, 43, 100, zip.length - 1].map((length) => zip.slice(0, length)),
    ...[[zip, [0]], [zip, zip], [tail, half], [[0], zip], [zip.slice(1)]].map((parts) =>
      Uint8Array.from(parts.flatMap((part) => [...part])),
    ),
  ];
  for (let at = 0; at + 64 <= zip.length; at += 64) {
    const part = [...zip.slice(at, at + 64)];
    attacks.push(Uint8Array.from([...zip.slice(0, at), ...zip.slice(at + 64)]));
    attacks.push(Uint8Array.from([...zip.slice(0, at), ...part, ...part, ...zip.slice(at + 64)]));
    attacks.push(Uint8Array.from([...zip.slice(0, at), ...part.toReversed(), ...zip.slice(at + 64)]));
  }
  for (const [n, attack] of attacks.entries()) expect((await verifyExport(attack)).whole, String(n)).toBe(false);
});

describe("by somebody who packs it anew", () => {
  const packed = async (change: (it: SmallExport) => unknown) => {
    const it = smallExport();
    change(it);
    return (await packSmall(it)).zip;
  };

  test("each byte of video, index, chain is found without the fingerprint too", async () => {
    for (const [name, content] of smallExport().files) {
      if (name === "viewer.html") continue;
      for (let at = 0; at < content.length; at += STEP) {
        const changed = content.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect((await verifyExport(await packed(({ files }) => files.set(name, changed)))).whole, `${name} ${at}`).toBe(
          false,
        );
      }
    }
  });

  const lineless = (bytes: Uint8Array, without: number): Uint8Array =>
    new TextEncoder().encode(
      new TextDecoder()
        .decode(bytes)
        .split("\n")
        .filter((_, n) => n !== without)
        .join("\n"),
    );
  const fileOf = ({ files }: SmallExport, name: string): Uint8Array => files.get(name) ?? new Uint8Array();
  const MP4 = ["segments/0000001.mp4", "segments/0000002.mp4"] as const;

  test.each<[string, string, (it: SmallExport) => unknown]>([
    [
      "a line of the index that is removed",
      "index",
      (it) => it.files.set("index.jsonl", lineless(fileOf(it, "index.jsonl"), 3)),
    ],
    [
      "a sealed line that is removed",
      "chain",
      (it) => it.files.set("chain.jsonl", lineless(fileOf(it, "chain.jsonl"), 1)),
    ],
    [
      "the end of the chain that is cut off",
      "segments",
      (it) => it.files.set("chain.jsonl", lineless(fileOf(it, "chain.jsonl"), 2)),
    ],
    ["a segment whose file is removed", "segments", (it) => it.files.delete(MP4[1])],
    [
      "a segment that is removed from everything",
      "clip",
      (it) => {
        it.files.delete(MP4[1]);
        it.values["clip.json"].segments.splice(1, 1);
      },
    ],
    ["segments that change places", "segments", (it) => it.values["clip.json"].segments.reverse()],
    [
      "segments whose bytes change places",
      "segments",
      (it) => {
        const [one, other] = MP4.map((name) => fileOf(it, name));
        it.files.set(MP4[0], other ?? new Uint8Array()).set(MP4[1], one ?? new Uint8Array());
      },
    ],
    [
      "a segment that is there twice",
      "segments",
      (it) => it.values["clip.json"].segments.push(...it.values["clip.json"].segments.slice(2)),
    ],
    ["a video that belongs to nothing", "segments", (it) => it.files.set("segments/0000009.mp4", new Uint8Array(3))],
    [
      "another capture time",
      "segments",
      (it) => {
        for (const segment of it.values["clip.json"].segments) segment.fromMs += 1;
      },
    ],
    [
      "another win",
      "game",
      (it) => {
        it.values["game.json"].win = 500;
      },
    ],
    ["a posting that is removed", "ledger", (it) => it.values["ledger.json"].booked.pop()],
    [
      "a posting that is booked twice",
      "ledger",
      (it) => it.values["ledger.json"].booked.push(...it.values["ledger.json"].booked),
    ],
    [
      "meters that do not add up",
      "meters",
      (it) => {
        it.values["game.json"].after += 1;
      },
    ],
    [
      "an entry of the audit log that is changed",
      "audit",
      (it) => {
        const [link] = it.values["audit.json"].links;
        if (link !== undefined) link.entry.actor = "agent:other";
      },
    ],
    ["an anchor of other content", "anchor", (it) => it.values["audit.json"].links.pop()],
    [
      "the clip of another time",
      "clip",
      (it) => {
        it.values["clip.json"].fromMs += 3_000;
      },
    ],
  ])("%s is found", async (name, check, change) => {
    const found = await stateOf(await packed(change));
    // Without an anchor nothing is wrong, and nothing is proved either.
    expect(found).toMatchObject({ [check]: name === "an anchor of other content" ? "absent" : "wrong" });
    expect((await stateOf(await packed(change), fingerprint)).whole).toBe(false);
  });

  test("what only the fingerprint protects is found by it", async () => {
    const changes: ((it: SmallExport) => unknown)[] = [
      ({ values }) => Object.assign(values["question.json"], { verdict: "paidRight" }),
      ({ values }) => Object.assign(values["clip.json"], { skewMs: 9 }),
      ({ files }) => files.set("viewer.html", new TextEncoder().encode("<p>All is well.")),
    ];
    for (const change of changes) {
      const forged = await packed(change);
      expect(await stateOf(forged)).toMatchObject({ whole: true, fingerprint: "absent" });
      expect(await stateOf(forged, fingerprint)).toMatchObject({ whole: false, fingerprint: "wrong" });
    }
  });

  test("without a recording it says so, and proves the rest", async () => {
    const none = await packed(({ values, files }) => {
      Object.assign(values["clip.json"], { state: "missing", reason: "notRecorded", segments: [] });
      for (const name of [...files.keys()]) if (name !== "viewer.html") files.delete(name);
    });
    const absent = { chain: "absent", index: "absent", segments: "absent", clip: "absent", game: "absent" };
    expect(await stateOf(none)).toMatchObject({ whole: true, ...absent, ledger: "proved", meters: "proved" });
  });
});

test("what was anchored after the clip was fetched is no contradiction, and proves nothing", async () => {
  const it = smallExport();
  const [anchor] = it.values["audit.json"].links;
  const later = (links: number) => {
    if (anchor !== undefined) anchor.entry.facts = JSON.stringify({ machineId: "nar-01", links, head: "0".repeat(64) });
  };
  later(4);
  expect(await stateOf((await packSmall(it)).zip)).toMatchObject({ anchor: "absent" });
  later(2);
  expect(await stateOf((await packSmall(it)).zip)).toMatchObject({ anchor: "wrong" });
});

test("its length is known before", () => {
  expect(zipBytes([{ name: "a.json", bytes: 3 }])).toBe(22 + 30 + 46 + 12 + 3);
});
