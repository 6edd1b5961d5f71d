/** What a peer reports to its owner's log: a sentence, and the error behind it when there is one. */
export type PeerLog = (sentence: string, error?: unknown) => void;
