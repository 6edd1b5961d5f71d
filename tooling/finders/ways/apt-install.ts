import { onPath, run } from "../run.ts";
import type { Way } from "../tool.ts";
import { lookOnPath } from "./on-path.ts";

const limitMs = 600_000;
/** Another apt (say, automatic updates) may be at work: wait for it rather than fail. */
const quiet = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=180"];

/** As root on Debian and its kin: installed for the whole computer. */
export const installWithApt: Way = async (search) => {
  const { tool, env, say } = search;
  const [apt] = onPath(["apt-get"], env);
  if (tool.isService || process.getuid?.() !== 0 || apt === undefined) return [];
  say(`${tool.title} is not here: installing it with apt-get; this takes a minute or two.`);
  const options = { env: { ...env, DEBIAN_FRONTEND: "noninteractive" }, limitMs };
  const install = () => run(apt, ["install", ...quiet, ...tool.debianPackages], options);
  if (!(await install()).ok) {
    await run(apt, ["update", "-q"], options);
    await install();
  }
  return await lookOnPath(search);
};
