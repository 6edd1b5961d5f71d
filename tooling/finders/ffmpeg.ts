import type { Tool } from "./tool.ts";

/** FFmpeg's own program with x264, which feeds the peer of the bench; the agent has the libraries in its process. */
export const ffmpeg: Tool = {
  title: "FFmpeg",
  setting: "LONGARM_FFMPEG",
  programs: ["ffmpeg"],
  debianPackages: ["ffmpeg"],
  unpackedProgram: "usr/bin/ffmpeg",
  args: [],
  trial: { args: ["-hide_banner", "-h", "encoder=libx264"], shows: "Encoder libx264" },
};
