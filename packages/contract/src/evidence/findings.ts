import type { EvidenceReason, EvidenceSentence, FiguresOf } from "./sentences.ts";

/**
 * What is verified. `files`: each byte is of the zip or of a file with the hash that the manifest says. `fingerprint`: the manifest is the one whose hash
 * is known from elsewhere. `chain`: the sealed lines follow each other. `index`: its lines are those that were sealed. `segments`: so is the video.
 * `audit`: the entries are as the audit log linked them. `anchor`: the sealed lines are those of the audit log. `clip`: nothing of the game's time is
 * missing that is not said to be. `game`, `meters`, `ledger`: they say the same of the game.
 */
export const EVIDENCE_CHECKS = [
  ...(["files", "fingerprint", "chain", "index", "segments", "audit", "anchor", "clip"] as const),
  ...(["game", "meters", "ledger"] as const),
] as const;
export type EvidenceCheck = (typeof EVIDENCE_CHECKS)[number];

/** `absent`: there is nothing to prove it by. `why`: what is wrong, or what is absent. */
export type EvidenceFinding = {
  readonly check: EvidenceCheck;
  readonly is: "proved" | "wrong" | "absent";
  readonly why: readonly EvidenceReason[];
};

type Sayings = Map<EvidenceCheck, { wrong: EvidenceReason[]; absent: EvidenceReason[]; done: boolean }>;

/** Adds a sentence to a check, with the figures that the sentence has. */
type Say = <Said extends EvidenceSentence>(
  check: EvidenceCheck,
  says: Said,
  ...figures: keyof FiguresOf<Said> extends never ? [] : [FiguresOf<Said>]
) => void;

/** What was found so far. `wrong` and `absent` add a sentence; `looked` says that the check was made. */
export interface Findings {
  readonly wrong: Say;
  readonly absent: Say;
  looked(check: EvidenceCheck): void;
}

/** So much is said of one check. */
const SAID_MAX = 20;

export function createFindings(): Findings & { all(): EvidenceFinding[] } {
  const sayings: Sayings = new Map();
  const of = (check: EvidenceCheck) => {
    const found = sayings.get(check) ?? { wrong: [], absent: [], done: false };
    sayings.set(check, found);
    return found;
  };
  const sayIn =
    (list: "wrong" | "absent"): Say =>
    (check, says, ...[figures = {}]) => {
      const said = of(check)[list];
      if (said.length < SAID_MAX) said.push({ says, figures });
    };
  return {
    wrong: sayIn("wrong"),
    absent: sayIn("absent"),
    looked(check) {
      of(check).done = true;
    },
    all: () =>
      EVIDENCE_CHECKS.map((check) => {
        const { wrong, absent, done } = of(check);
        if (wrong.length > 0) return { check, is: "wrong", why: wrong };
        return absent.length > 0 || !done ? { check, is: "absent", why: absent } : { check, is: "proved", why: [] };
      }),
  };
}
