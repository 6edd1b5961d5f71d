/* What the verifier says, in English: for the command line and the daily sample. The page in an export has each of them in its reader's language. */

/** Every sentence by its name; a figure of it is in braces. */
export const EVIDENCE_SENTENCES = {
  noManifest: "It is no export: there is no manifest that can be read.",
  otherFromByte: "The file is not what was exported, from byte {at} on.",
  noFingerprint: "No fingerprint was given to compare it with.",
  otherFingerprint: "The fingerprint is {fingerprint}: this is another export.",
  namedTwice: "The manifest names a file twice.",
  fileMissing: "{name} is missing.",
  otherFile: "{name} is not the file that the manifest names.",
  unreadable: "{name} cannot be read.",
  noRecording: "There is no recording.",
  noRecordingWhy: "There is no recording: {reason}.",
  chainBreaksOff: "The chain breaks off in a line.",
  linkMisplaced: "Link {link} does not follow the one before it.",
  linesMissing: "Lines are missing between link {from} and link {to}.",
  otherLink: "Link {link} is not that of the chain.",
  otherLines: "The lines before link {link} are not those that were sealed.",
  unsealedEnd: "The index ends with lines that were not sealed.",
  noVideo: "There is no video.",
  strayVideo: "{name} is of no segment of the clip.",
  otherSegment: "Segment {number} is not the one that was sealed.",
  otherVideo: "{name} is not segment {number}.",
  segmentMisplaced: "Segment {number} is not in its place.",
  otherEntry: "The entry at {position} is not what was linked there.",
  noEntry: "No entry of the audit log is in the export.",
  entryMisplaced: "The entry at {position} is not in its place.",
  entryUnlinked: "The entry at {position} does not follow the one before it.",
  otherAnchor: "Link {link} of the recording is not what the audit log has.",
  anchoredUpTo: "The audit log has the recording up to link {anchored}; the clip goes up to {link}.",
  otherTime: "The clip is of another time than the game.",
  segmentLeftOut: "Segment {number} was recorded and is left out.",
  gap: "From {from} to {to} nothing is recorded.",
  unsaidGap: "From {from} on pictures are missing, and no gap says so.",
  noSuchGame: "The recording has no game that ended when this one did.",
  otherBegin: "The game began at another time by the recording.",
  otherFigure: "{figure} is {played}, by the recording {recorded}.",
  machineSilent: "The machine does not say what the game cost and won.",
  metersDiffer: "Credit {before} − stake {stake} + win {win} − paid by hand {handPaid} is not {after}.",
  bookedTwice: "The ledger has the game more than once.",
  bookedOther: "The ledger has {booked} for the game, the machine {won}.",
} as const;
export type EvidenceSentence = keyof typeof EVIDENCE_SENTENCES;

type FiguresIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | FiguresIn<Rest>
  : never;
/** The figures of a sentence by their names. */
export type FiguresOf<Said extends EvidenceSentence> = Readonly<
  Record<FiguresIn<(typeof EVIDENCE_SENTENCES)[Said]>, string | number>
>;

/** A sentence with its figures. */
export type EvidenceReason = {
  readonly says: EvidenceSentence;
  readonly figures: Readonly<Record<string, string | number>>;
};

/** The sentence in English. */
export const englishOf = ({ says, figures }: EvidenceReason): string =>
  EVIDENCE_SENTENCES[says].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(figures[name]));
