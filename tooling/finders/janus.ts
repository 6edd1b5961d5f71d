import type { Tool } from "./tool.ts";

/** Janus, the WebRTC server that the bench holds our delay against, and a media server that agents publish to. */
export const janus: Tool = {
  title: "Janus",
  setting: "LONGARM_JANUS",
  programs: ["janus"],
  debianPackages: ["janus"],
  unpackedProgram: "usr/bin/janus",
  isService: true,
  args: [],
  trial: { args: ["--help"], shows: "--ice-lite" },
};

/** What the server loads. */
const NEEDS = ["express", "cors", "async", "colors/safe", "debug", "websocket", "body-parser"];

/** Debian's Simple WHIP Server: WHIP in front of Janus, by Janus' makers. Its scripts lie beside its modules, in `../simple-whip-server/src`. */
export const whipServer: Tool = {
  title: "Simple WHIP Server",
  setting: "LONGARM_WHIP_SERVER_NODE",
  programs: [],
  debianPackages: ["simple-whip-server"],
  unpackedProgram: "usr/share/simple-whip-server/src/server.js",
  isService: true,
  isScript: true,
  leftOut: /^(nodejs|libnode\d+|libicu\d+|fonts-.*)$/,
  args: [],
  trial: {
    args: ["-e", `for (const name of ${JSON.stringify(NEEDS)}) require(name); console.log("all there")`],
    shows: "all there",
  },
};
