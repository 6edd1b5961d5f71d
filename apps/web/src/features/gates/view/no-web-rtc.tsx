import type { Settings } from "@longarm/contract/settings";
import { useEffect } from "react";
import { ContactLink } from "../../../shared/contacts/contact-links.tsx";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { DarkMachine } from "./dark-machine.tsx";
import { Gate } from "./gate.tsx";

/** Instead of a game, where the browser has no WebRTC: what to do, and the way back. */
export function NoWebRtc({
  contacts,
  onRetry,
  onLobby,
}: {
  contacts: Settings["contacts"];
  onRetry: () => void;
  onLobby: () => void;
}) {
  const { t } = useText();
  const [contact] = contacts;
  useEffect(() => {
    document.title = `${t("gates.noWebRtcTitle")} · Longarm`;
  }, [t]);
  return (
    <Gate
      look="plain"
      lamp="waiting"
      word={t("gates.noWebRtcLamp")}
      title={t("gates.noWebRtcTitle")}
      actions={
        <>
          <Key kind="brass" big onClick={onRetry}>
            {t("app.tryAgain")}
          </Key>
          <Key big icon="back" onClick={onLobby}>
            {t("app.toLobby")}
          </Key>
          {contact && <ContactLink contact={contact} kind="bare" big />}
        </>
      }
      art={<DarkMachine />}
    >
      <ol>
        <li>{t("gates.noWebRtcBrowser")}</li>
        <li>{t("gates.noWebRtcVpn")}</li>
        <li>{t("gates.noWebRtcRetry")}</li>
      </ol>
    </Gate>
  );
}
