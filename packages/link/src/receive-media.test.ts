import { expect, test } from "vitest";
import { preferred } from "./receive-media.ts";

test("offers H.264 constrained baseline first, then other H.264, VP8 and their retransmissions; nothing else", () => {
  const codec = (mimeType: string, sdpFmtpLine?: string) => ({ mimeType, sdpFmtpLine });
  const offered = preferred("video", [
    codec("video/VP8"),
    codec("video/rtx"),
    codec("video/VP9", "profile-id=0"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42001f"),
    codec("video/H264", "packetization-mode=0;profile-level-id=42e01f"),
    codec("video/H264", "packetization-mode=1;profile-level-id=42e01f"),
    codec("video/AV1"),
  ]);
  expect(offered.map(({ mimeType, sdpFmtpLine = "" }) => `${mimeType} ${sdpFmtpLine.slice(-6)}`.trim())).toEqual([
    "video/H264 42e01f",
    "video/H264 42001f",
    "video/VP8",
    "video/rtx",
  ]);
  expect(preferred("video", [codec("video/AV1")])).toEqual([]);
  expect(preferred("audio", [codec("audio/PCMU"), codec("audio/opus")])).toHaveLength(1);
});
