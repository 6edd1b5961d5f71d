import { useText } from "@longarm/ui/i18n/use-text.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BreaksTab } from "../../features/breaks/breaks-panel.tsx";
import { HelpPanel } from "../../features/help/help-panel.tsx";
import { StatementTab } from "../../features/history/view/statement-tab.tsx";
import { LettersTab } from "../../features/letters/letters-tab.tsx";
import { PaymentsPage } from "../../features/payments/payments-page.tsx";
import type { SaferPlayDeps } from "../../features/safer-play/limits.ts";
import { partsOf, useLimits } from "../../features/safer-play/limits.ts";
import { Gauge } from "../../features/safer-play/view/gauge.tsx";
import { LimitsTab } from "../../features/safer-play/view/limits-tab.tsx";
import { SaferPlayTabs } from "../../features/safer-play/view/safer-play-tabs.tsx";
import { Page } from "../../features/shell/page.tsx";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { renewToken } from "../start/sign-in.ts";

const player = getRouteApi("/shell/player");

type Part = {
  /** In the query of the address. */
  readonly id: string;
  readonly label: TextKey;
  /** A sentence beside the tabs while this one is open. */
  readonly note?: TextKey;
  readonly draw: (app: App, link: PlayerLink, onBegun: () => Promise<void>) => ReactNode;
};

/** What the page has, in its order: this is where the features meet. */
const PARTS: readonly Part[] = [
  {
    id: "limits",
    label: "saferPlay.tab_limits",
    note: "saferPlay.note",
    draw: (app, { wallet }) => <LimitsTab deps={{ ...app, wallet, onChanged: () => void renewToken(app) }} />,
  },
  {
    id: "breaks",
    label: "saferPlay.tab_breaks",
    draw: (app, { wallet, openSession }, onBegun) => <BreaksTab deps={{ ...app, wallet, openSession, onBegun }} />,
  },
  { id: "statement", label: "saferPlay.tab_statement", draw: ({ api }) => <StatementTab api={api} /> },
  {
    id: "letters",
    label: "saferPlay.tab_letters",
    draw: (app) => <LettersTab api={app.api} onPutAway={() => void renewToken(app)} />,
  },
  { id: "help", label: "saferPlay.tab_help", draw: ({ settings }) => <HelpPanel {...settings} /> },
];

/** What protects the player, one tab for each part. */
export function SaferPlayRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const link = player.useLoaderData();
  const { tab }: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  usePageTitle(t("saferPlay.title"));
  // The sign-in's answer says from now on that play is closed.
  async function showBreak(): Promise<void> {
    await renewToken(app);
    await navigate({ to: paths.closed, replace: true });
  }
  const tabs = PARTS.map(({ id, label, note, draw }) => ({
    ...{ id, label: t(label), view: draw(app, link, showBreak) },
    ...(note !== undefined && { note: t(note) }),
  }));
  return (
    <Page title={t("saferPlay.title")} subtitle={t("saferPlay.about")}>
      <SaferPlayTabs
        tabs={tabs}
        open={typeof tab === "string" ? tab : undefined}
        onOpen={(next) => void navigate({ to: ".", search: { tab: next }, replace: true, resetScroll: false })}
      />
    </Page>
  );
}

/** Money into the wallet and out of it. In this file because it shares the limits and their fields: a chunk between two costs the lobby its name. */
export function WalletRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const { wallet } = player.useLoaderData();
  const { tab }: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  usePageTitle(t("payments.title"));
  return (
    <Page title={t("payments.title")} subtitle={t("payments.about")}>
      <PaymentsPage
        deps={{ ...app, wallet }}
        kind={tab === "withdraw" ? "withdrawal" : "deposit"}
        onKind={(kind) =>
          void navigate({
            ...{ to: ".", replace: true, resetScroll: false },
            search: kind === "withdrawal" ? { tab: "withdraw" } : {},
          })
        }
        gauge={<DepositGauge deps={{ ...app, wallet }} />}
      />
    </Page>
  );
}

/** The deposit limit that leaves least, as Safer play draws it. Nothing without one. */
function DepositGauge({ deps }: { readonly deps: Pick<SaferPlayDeps, "api" | "wallet"> }) {
  const { data } = useLimits(deps);
  if (typeof data !== "object") return null;
  const [tightest] = data.limits
    .filter(({ key, left }) => partsOf(key).row === "deposit" && left !== null)
    .toSorted((one, other) => (one.left ?? 0) - (other.left ?? 0));
  return tightest === undefined ? null : <Gauge limit={tightest} named />;
}
