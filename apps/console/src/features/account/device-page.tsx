import { Field } from "@longarm/ui/field.tsx";
import { Form, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { CallProblem } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { problemText } from "../../shared/problem-text.ts";
import { whenText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Facts, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./account.module.css";

type DeviceRequest = AnswerOf<"lookDevice"> & { readonly code: string };

/** A command line that asks to be signed in: its code is typed here, and who asks is read before it is confirmed. */
export function DevicePage() {
  const { t } = useText();
  const [request, setRequest] = useState<DeviceRequest>();
  return (
    <Page title={t("account.deviceTitle")}>
      <div className={css["device"]}>
        <Panel title={t("account.deviceTitle")} about={t("account.deviceAbout")}>
          <div className={panelCss["body"]}>
            {request === undefined ? (
              <CodeForm found={setRequest} />
            ) : (
              <Decision request={request} leave={() => setRequest(undefined)} />
            )}
          </div>
        </Panel>
      </div>
    </Page>
  );
}

/** Of what is typed or pasted eight letters, in two groups, as the terminal shows them. */
function letters(text: string): string {
  const all = text
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "")
    .slice(0, 8);
  return all.length > 4 ? `${all.slice(0, 4)}-${all.slice(4)}` : all;
}

function CodeForm({ found }: { readonly found: (request: DeviceRequest) => void }) {
  const { api } = useConsole();
  const speech = useText();
  const { t } = speech;
  const form = useFields({ code: "" }, async ({ code }) => {
    if (code.length !== 9) return { code: t("account.deviceCodeLength") };
    try {
      found({ ...(await api.call("lookDevice", { body: { code } })), code });
      return undefined;
    } catch (error) {
      if (error instanceof CallProblem) return { code: problemText(speech, error) };
      throw error;
    }
  });
  const { onText, ...field } = form.field("code", letters);
  return (
    <Form of={form} send={t("account.deviceLook")}>
      <Field
        label={t("account.deviceCode")}
        note={t("account.deviceCodeNote")}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        dir="ltr"
        autoFocus
        {...field}
        onChange={({ target }) => onText(target.value)}
      />
    </Form>
  );
}

function Decision({ request, leave }: { readonly request: DeviceRequest; readonly leave: () => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const { busy, run } = useAct();
  const { code, computer, systemUser, requestedAt } = request;
  const lines = [
    [t("account.deviceCode"), code],
    [t("account.deviceComputer"), computer],
    [t("account.deviceUser"), systemUser],
  ] as const;
  async function decide(name: "confirmDevice" | "refuseDevice", title: string, said: string): Promise<void> {
    const answer = await run(name, { fields: { code }, summary: { title, lines }, reads: ["mySignIns"], said });
    if (answer !== undefined) leave();
  }
  return (
    <>
      <Facts
        rows={[
          ...lines,
          [t("account.deviceRequested"), whenText(requestedAt, clock.now(), venue.timeZone, language)] as const,
        ]}
      />
      <Note kind="wait">{t("account.deviceCompare")}</Note>
      <div className={css["row"]}>
        <Key
          kind="danger"
          busy={busy}
          disabled={!online}
          onClick={() => void decide("refuseDevice", t("account.deviceRefuse"), t("account.deviceRefused"))}
        >
          {t("account.deviceRefuse")}
        </Key>
        <Key
          kind="brass"
          busy={busy}
          disabled={!online}
          onClick={() => void decide("confirmDevice", t("account.deviceConfirm"), t("account.deviceConfirmed"))}
        >
          {t("account.deviceConfirm")}
        </Key>
      </div>
    </>
  );
}
