import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useLive } from "@longarm/ui/live.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { picturesOf } from "../../features/lobby/machine-view.ts";
import { Reconnect } from "../../features/reconnect/reconnect.ts";
import { ReconnectDialog } from "../../features/reconnect/reconnect-dialog.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { isSeatInTab } from "../../shared/seat-in-tab/seat-in-tab.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { findMachine } from "../game/game-loader.ts";
import type { PlayerLink } from "./player-link.ts";

/** One per sign-in: what the player closed stays closed on every page. */
const reconnectOf = oncePer((app: App) => oncePer((link: PlayerLink) => makeReconnect(app, link)));

function makeReconnect({ api, settings, timers, texts, messages }: App, link: PlayerLink) {
  return new Reconnect({
    ...{ api, timers, openSession: link.openSession, names: settings.reconnectStatus },
    askAgain: link.askAgain,
    refreshBalance: link.refreshBalance,
    isInOtherTab: (machineId) => isSeatInTab(navigator.locks, { playerId: link.player.id, machineId }),
    onCancelled: (amount) => messages.say("good", cashedOutText(texts.speech.getState(), amount, settings.currency)),
    onFailure: (failure) => messages.say("bad", failureText(texts.speech.getState(), failure)),
  });
}

/** What the wallet got, by its amount where the platform says it (player 1). */
function cashedOutText({ t, language }: Speech, amount: number | undefined, currency: string): string {
  if (amount === undefined) return t("reconnect.cashedOut");
  if (amount === 0) return t("reconnect.cashedOutNothing");
  return t("reconnect.cashedOutAmount", { amount: moneyText(amount, currency, language, true) });
}

/** The reconnect dialog over the shell, where it meets wallet, machines and the game. */
export function ReconnectLayer({ app, link }: { app: App; link: PlayerLink }) {
  const reconnect = reconnectOf(app)(link);
  const navigate = useNavigate();
  const inLobby = useRouterState({ select: ({ location }) => /^\/lobby(\/|$)/.test(location.pathname) });
  useEffect(
    () =>
      reconnect.attend(({ id, name }) => {
        void navigate(paths.game(id, name || (app.seen.get(id)?.name ?? "")));
      }),
    [reconnect, navigate, app],
  );
  const { clock, timers, settings } = app;
  return (
    <ReconnectDialog
      {...{ reconnect, wallet: link.wallet, contacts: settings.contacts, clock, timers }}
      pictures={usePictures(
        app,
        useLive(reconnect.now, ({ shown }) => shown?.id),
      )}
      toLobby={inLobby ? undefined : () => void navigate({ to: paths.lobby })}
    />
  );
}

/** The images of a machine that no list of this page has brought yet are there once it is looked up. */
function usePictures(app: App, machineId: string | undefined): readonly string[] {
  const [found, setFound] = useState<{ readonly id: string; readonly pictures: readonly string[] }>();
  useEffect(() => {
    if (machineId === undefined) return;
    let gone = false;
    void findMachine(app, machineId).then((machine) => {
      if (gone || machine === undefined) return;
      const pictures = picturesOf(machine, (image) => URL.parse(image, app.addresses.api)?.href);
      setFound({ id: machineId, pictures });
    });
    return () => {
      gone = true;
    };
  }, [app, machineId]);
  // It is still seen while the dialog fades.
  return machineId === undefined || found?.id === machineId ? (found?.pictures ?? []) : [];
}
