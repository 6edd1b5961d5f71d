import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Outlet, useRouteContext } from "@tanstack/react-router";
import { Languages } from "../../features/shell/languages.tsx";
import { Shell } from "../../features/shell/shell.tsx";
import { HeaderBalance, MenuBalance } from "../../features/wallet/balance.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { chooseLanguage } from "../language.ts";
import { queryCacheOf, visibilityOf } from "../player-views.ts";

const route = getRouteApi("/shell");

/** Where the shell meets the wallet: the frame of every page with a menu. */
export function ShellRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const part = route.useLoaderData();
  const { language } = useText();
  const visibility = visibilityOf(app);
  const languages = app.settings.languageSelect && <Languages onLanguage={(next) => void chooseLanguage(app, next)} />;
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={language === "ar" ? "rtl" : "ltr"}>
        <QueryClientProvider client={queryCacheOf(part)}>
          <Shell
            player={part.player}
            balance={<MenuBalance wallet={part.wallet} visibility={visibility} />}
            showVersion={app.settings.showVersion}
            storage={app.storage}
            footer={app.settings.footerInfo}
            languages={languages}
            chrome={{
              showHeader: app.settings.header,
              wallet: <HeaderBalance wallet={part.wallet} visibility={visibility} />,
              actions: null,
              tools: languages,
            }}
          >
            <Outlet />
          </Shell>
        </QueryClientProvider>
      </DirectionProvider>
    </CSPProvider>
  );
}
