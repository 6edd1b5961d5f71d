import { expect, test } from "vitest";
import { preferred } from "./receive-media.ts";

test("offers H.264 constrained baseline first, then other H.264, VP8, their retransmissions and repairs; nothing else", () => {
  const codec = (mimeType: string, sdpFmtpLine?: string) => ({ mimeType, sdpFmtpLine });
  const offered = preferred("video", [
    codec("video/VP8"),
    codec("video/rtx"),
    codec("video/VP9", "profile-id=0"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42001f"),
    codec("video/H264", "packetization-mode=0;profile-level-id=42e01f"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42e01f"),
    codec("video/AV1"),
    codec("video/flexfec-03", "repair-window=10000000"),
    codec("video/ulpfec"),
  ]);
  expect(offered.map(({ mimeType, sdpFmtpLine = "" }) => `${mimeType} ${sdpFmtpLine.slice(-6)}`.trim())).toEqual([
    "video/H264 42e01f",
    "video/H264 42001f",
    "video/VP8",
    "video/rtx",
    "video/flexfec-03 000000",
  ]);
  expect(preferred("video", [codec("video/AV1")])).toEqual([]);
  expect(preferred("audio", [codec("audio/PCMU"), codec("audio/opus")])).toHaveLength(1);
});
