import { Framed } from "../../../features/shell/frames/framed.tsx";
import { casinoWith } from "../../../features/shell/frames/layout3-options.ts";
import { paths } from "../../../shared/paths/paths.ts";
import type { App } from "../../app.ts";
import { leadsToTemplate } from "../../frame/leads-to-template.ts";
import { PanelKeys, SidePanels } from "../../panels/frame-panels.tsx";
import { loadTemplateTree } from "./template-tree.ts";

/** Everything of the bars that is not the casino shell as it is. */
export type Frames = Awaited<ReturnType<typeof loadFrames>>;

export async function loadFrames(app: App) {
  const [templateTree] = await Promise.all([loadTemplateTree(app), app.texts.need("bars")]);
  const pages = leadsToTemplate(app.settings)
    ? { documentation: paths.documentation, register: "/pages/auth/register" }
    : { documentation: undefined, register: undefined };
  return { Framed, PanelKeys, SidePanels, casinoWith, templateTree, pages };
}
