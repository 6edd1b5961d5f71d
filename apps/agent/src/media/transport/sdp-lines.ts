import { OfferProblem } from "../../ports/transport.ts";

/** Largest offer, bytes; a browser's with three media sections is about 9 KB. */
export const SDP_BYTES_MAX = 16 * 1024;
/** Largest number of media sections: video, audio, room camera, data. */
export const MEDIA_SECTIONS_MAX = 4;
const LINES_MAX = 1000;
const LINE_CHARS_MAX = 1024;

/** One `a=` line: `name` or `name:value`. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** One media section as it stands in the text. */
export interface MediaSection {
  readonly kind: string;
  readonly portNumber: number;
  readonly protocol: string;
  readonly formats: readonly string[];
  readonly attributes: readonly Attribute[];
}

export interface SdpText {
  readonly attributes: readonly Attribute[];
  readonly media: readonly MediaSection[];
}

/**
 * Splits an SDP into its sections, in one pass and within limits. Rejects with an `OfferProblem`: this runs before any
 * other code sees the text, because a text of many sections keeps a real SDP parser busy for minutes (measured).
 */
export function readSdpLines(sdp: string): SdpText {
  if (typeof sdp !== "string" || sdp.length === 0) throw new OfferProblem("The offer is empty; send an SDP.");
  if (sdp.length > SDP_BYTES_MAX) {
    throw new OfferProblem(`The offer is longer than ${SDP_BYTES_MAX} bytes; offer fewer codecs or candidates.`);
  }
  if (/[^\x20-\x7e\r\n\t]/.test(sdp)) throw new OfferProblem("The offer holds characters that no SDP has.");
  const lines = sdp.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length > LINES_MAX || lines.some((line) => line.length > LINE_CHARS_MAX)) {
    throw new OfferProblem(`The offer has over ${LINES_MAX} lines or a line over ${LINE_CHARS_MAX} characters.`);
  }
  if (lines[0] !== "v=0")
    throw new OfferProblem("The offer does not start with v=0; send the browser's SDP unchanged.");
  return splitSections(lines);
}

function splitSections(lines: readonly string[]): SdpText {
  const attributes: Attribute[] = [];
  const media: (MediaSection & { attributes: Attribute[] })[] = [];
  for (const line of lines) {
    if (line.startsWith("m=")) {
      if (media.length >= MEDIA_SECTIONS_MAX) {
        throw new OfferProblem(`The offer has more than ${MEDIA_SECTIONS_MAX} media sections.`);
      }
      media.push({ ...readMediaLine(line), attributes: [] });
    } else if (line.startsWith("a=")) {
      (media.at(-1)?.attributes ?? attributes).push(readAttribute(line));
    }
  }
  if (media.length === 0) throw new OfferProblem("The offer has no media section; offer the machine's video.");
  return { attributes, media };
}

function readMediaLine(line: string): Omit<MediaSection, "attributes"> {
  const [kind = "", port = "", protocol = "", ...formats] = line.slice(2).split(" ");
  const portNumber = Number(port);
  if (!Number.isInteger(portNumber) || portNumber < 0 || portNumber > 65_535 || formats.length === 0) {
    throw new OfferProblem("A media line of the offer is malformed.");
  }
  return { kind, portNumber, protocol, formats };
}

function readAttribute(line: string): Attribute {
  const colon = line.indexOf(":");
  return colon < 0 ? { name: line.slice(2), value: "" } : { name: line.slice(2, colon), value: line.slice(colon + 1) };
}

/** The value of the first attribute of this name, or null. */
export function attributeValue(attributes: readonly Attribute[], name: string): string | null {
  return attributes.find((attribute) => attribute.name === name)?.value ?? null;
}
