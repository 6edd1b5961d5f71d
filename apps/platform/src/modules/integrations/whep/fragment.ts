import { CANDIDATES_MAX } from "@longarm/contract/whep";

/** A fragment of an SDP (RFC 8840): ICE credentials of a viewer, and some of its candidates. */
export type Fragment = {
  /** Null: the fragment does not say whose candidates these are. */
  readonly credentials: Credentials | null;
  /** Without `a=`. */
  readonly candidates: readonly { readonly candidate: string; readonly sdpMid: string | null }[];
};
export type Credentials = { readonly ufrag: string; readonly pwd: string };

const LINES_MAX = 200;
const LINE_CHARS_MAX = 1_000;
const UFRAG = /^[A-Za-z0-9+/]{4,256}$/;
const PWD = /^[A-Za-z0-9+/]{22,256}$/;
const MID = /^[A-Za-z0-9_-]{1,16}$/;

/** Reads a fragment; a text says what is wrong with it. */
export function readFragment(text: string): Fragment | string {
  const lines = linesOf(text);
  if (lines === null) return "It is empty, too long, or holds characters that no SDP has.";
  const credentials = credentialsOf(lines);
  if (typeof credentials === "string") return credentials;
  const candidates: { candidate: string; sdpMid: string | null }[] = [];
  let sdpMid: string | null = null;
  for (const line of lines) {
    if (line.startsWith("a=mid:")) sdpMid = line.slice("a=mid:".length);
    if (sdpMid !== null && !MID.test(sdpMid)) return "A mid is malformed.";
    if (line.startsWith("a=candidate:")) candidates.push({ candidate: line.slice(2), sdpMid });
  }
  if (candidates.length > CANDIDATES_MAX) return `It brings more than ${CANDIDATES_MAX} candidates.`;
  if (credentials === null && candidates.length === 0 && !lines.includes("a=end-of-candidates"))
    return "It has neither ICE credentials nor candidates.";
  return { credentials, candidates };
}

function linesOf(text: string): string[] | null {
  if (/[^\x20-\x7e\r\n]/.test(text)) return null;
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  const fits = lines.length > 0 && lines.length <= LINES_MAX && lines.every(({ length }) => length <= LINE_CHARS_MAX);
  return fits ? lines : null;
}

/** All sections of a bundle have the same credentials, or the first has them alone. */
function credentialsOf(lines: readonly string[]): Credentials | null | string {
  const values = (name: string) => [
    ...new Set(lines.flatMap((line) => (line.startsWith(`a=${name}:`) ? [line.slice(name.length + 3)] : []))),
  ];
  const [ufrags, pwds] = [values("ice-ufrag"), values("ice-pwd")];
  if (ufrags.length === 0 && pwds.length === 0) return null;
  const [[ufrag = "", ...moreUfrags], [pwd = "", ...morePwds]] = [ufrags, pwds];
  if (moreUfrags.length > 0 || morePwds.length > 0) return "It has ICE credentials of more than one session.";
  return UFRAG.test(ufrag) && PWD.test(pwd) ? { ufrag, pwd } : "Its ICE credentials are incomplete or malformed.";
}

/** Why an offer cannot go to an agent, which reads it once more and strictly; null: it can. */
export function offerProblem(offer: string): "offer.malformed" | "offer.codec" | null {
  if (!/^v=0\r?\n/.test(offer) || /[^\x20-\x7e\r\n\t]/.test(offer) || !/^a=ice-ufrag:/m.test(offer))
    return "offer.malformed";
  return /^a=rtpmap:\d{1,3} (h264|vp8)\/90000\r?$/im.test(offer) ? null : "offer.codec";
}

/** Whether candidates with these credentials belong to the ICE session of an offer. */
export const isOfOffer = (offer: string, { ufrag }: Credentials): boolean =>
  offer.split(/\r?\n/).includes(`a=ice-ufrag:${ufrag}`);

/** The same offer in another ICE session, with these candidates alone. */
export function restartedOffer(offer: string, { ufrag, pwd }: Credentials, { candidates }: Fragment): string {
  const found = candidates.map(({ candidate }) => `a=${candidate}`);
  const kept = offer.split(/\r?\n/).filter((line) => line !== "" && !/^a=(candidate:|end-of-candidates)/.test(line));
  let isFirst = true;
  const lines = kept.flatMap((line) => {
    if (line.startsWith("a=ice-ufrag:")) return [`a=ice-ufrag:${ufrag}`];
    if (line.startsWith("a=ice-pwd:")) return [`a=ice-pwd:${pwd}`];
    if (!line.startsWith("a=mid:") || !isFirst) return [line];
    isFirst = false;
    return [line, ...found];
  });
  return `${lines.join("\r\n")}\r\n`;
}

/** What of an answer a viewer must know after a restart: the agent's ICE credentials and candidates, in the section that carries the bundle. */
export function fragmentOf(answer: string): string {
  const lines = answer.split(/\r?\n/);
  const first = (start: string) => lines.filter((line) => line.startsWith(start)).slice(0, 1);
  return `${[
    ...first("a=ice-options:"),
    ...first("a=group:BUNDLE"),
    ...first("m="),
    ...first("a=mid:"),
    ...first("a=ice-ufrag:"),
    ...first("a=ice-pwd:"),
    ...new Set(lines.filter((line) => line.startsWith("a=candidate:"))),
    "a=end-of-candidates",
  ].join("\r\n")}\r\n`;
}
