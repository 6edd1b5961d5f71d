import type { VideoCodec } from "../../ports/transport.ts";
import type { MediaSection } from "./sdp-lines.ts";

/** The one codec of a section that the agent answers with. */
export interface ChosenCodec {
  readonly name: "H264" | "VP8" | "opus";
  /** 0 to 127, as the browser numbered it. */
  readonly payloadType: number;
  /** Format parameters for the answer, without the payload type; empty when none. */
  readonly parameters: string;
}

interface OfferedFormat {
  readonly payloadType: number;
  readonly encoding: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Formats looked at in one section; a browser lists about 25. */
const FORMATS_MAX = 64;

/** Opus of a section, or null. */
export function chooseSound(media: MediaSection): ChosenCodec | null {
  const opus = readFormats(media).find((format) => format.encoding === "opus/48000/2");
  return opus ? { name: "opus", payloadType: opus.payloadType, parameters: "minptime=10;useinbandfec=1" } : null;
}

/** The preferred video codec of a section where the offer has it, else the other, else null. */
export function chooseVideo(media: MediaSection, preferred: VideoCodec): ChosenCodec | null {
  const formats = readFormats(media);
  const h264 = chooseH264(formats);
  const vp8 = formats.find((format) => format.encoding === "vp8/90000");
  const chosenVp8: ChosenCodec | null = vp8 ? { name: "VP8", payloadType: vp8.payloadType, parameters: "" } : null;
  return preferred === "vp8" ? (chosenVp8 ?? h264) : (h264 ?? chosenVp8);
}

/** Level 3.1 carries 1280 × 720 at 30 pictures a second. */
const H264_PARAMETERS = "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f";

/** Constrained baseline in packetization mode 1: what the encoder writes. Plain baseline can decode it too. */
function chooseH264(formats: readonly OfferedFormat[]): ChosenCodec | null {
  const usable = formats.filter(
    (format) => format.encoding === "h264/90000" && format.parameters.get("packetization-mode") === "1",
  );
  const profileOf = (format: OfferedFormat) => (format.parameters.get("profile-level-id") ?? "42e01f").toLowerCase();
  const chosen =
    usable.find((format) => profileOf(format) === "42e01f") ??
    usable.find((format) => /^42[0-9a-f]{4}$/.test(profileOf(format)));
  return chosen ? { name: "H264", payloadType: chosen.payloadType, parameters: H264_PARAMETERS } : null;
}

function readFormats(media: MediaSection): OfferedFormat[] {
  const encodings = new Map<number, string>();
  const parameters = new Map<number, ReadonlyMap<string, string>>();
  for (const { name, value } of media.attributes) {
    if (name !== "rtpmap" && name !== "fmtp") continue;
    const space = value.indexOf(" ");
    const payloadType = readPayloadType(value.slice(0, space));
    if (payloadType === null) continue;
    const rest = value.slice(space + 1).trim();
    if (name === "rtpmap") encodings.set(payloadType, rest.toLowerCase());
    else parameters.set(payloadType, readParameters(rest));
  }
  return media.formats
    .slice(0, FORMATS_MAX)
    .map(readPayloadType)
    .filter((payloadType) => payloadType !== null)
    .map((payloadType) => ({
      payloadType,
      encoding: encodings.get(payloadType) ?? "",
      parameters: parameters.get(payloadType) ?? new Map<string, string>(),
    }));
}

/** Null for anything outside 0 to 127, and for 64 to 95, which RTCP needs (RFC 5761). */
function readPayloadType(text: string): number | null {
  if (!/^\d{1,3}$/.test(text)) return null;
  const value = Number(text);
  return value <= 127 && !(value >= 64 && value <= 95) ? value : null;
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(";").map((part) => part.trim().split("="));
  return new Map(pairs.map(([name = "", value = ""]) => [name, value]));
}
