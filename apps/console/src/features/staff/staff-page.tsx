import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { roleText } from "../../shared/problem-text.ts";
import { whenText } from "../../shared/times.ts";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Face, Loaded, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { EndSheet } from "./end-sheet.tsx";
import { InviteSheet } from "./invite-sheet.tsx";
import { RenewSheet } from "./renew-sheet.tsx";
import { RightsTable } from "./rights-table.tsx";
import { RolesSheet } from "./roles-sheet.tsx";
import css from "./staff.module.css";

type StaffRow = AnswerOf<"staff">["rows"][number];
type SignInRow = AnswerOf<"signIns">["rows"][number];
/** The sheet that is open, and whom it is about. */
type Open =
  | { readonly is: "invite" }
  | { readonly is: "roles"; readonly person: StaffRow }
  | { readonly is: "renew"; readonly person: StaffRow }
  | { readonly is: "endAccount"; readonly person: StaffRow }
  | { readonly is: "unlink"; readonly person: StaffRow }
  | { readonly is: "endSignIn"; readonly signIn: SignInRow };

/** People, what each role may do, and who is signed in where. */
export function StaffPage() {
  const { t } = useText();
  const staff = useRead("staff");
  const signIns = useRead("signIns");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const people = staff.data?.rows.filter(({ state }) => state !== "ended").length;
  const here = signIns.data && new Set(signIns.data.rows.map(({ person }) => person.id)).size;
  return (
    <Page
      title={t("app.staff")}
      about={people === undefined || here === undefined ? undefined : t("staff.count", { count: people, here })}
    >
      <div className={css["columns"]}>
        <People staff={staff} signIns={signIns.data?.rows ?? []} open={setOpen} />
        <RightsTable />
      </div>
      <SignedIn signIns={signIns} open={setOpen} />
      <InviteSheet open={open?.is === "invite"} close={close} />
      <RolesSheet person={open?.is === "roles" ? open.person : undefined} close={close} />
      <RenewSheet person={open?.is === "renew" ? open.person : undefined} close={close} />
      <EndSheet about={isEnd(open) ? open : undefined} close={close} />
    </Page>
  );
}

type End = Extract<Open, { is: "endAccount" | "unlink" | "endSignIn" }>;
const isEnd = (open: Open | undefined): open is End =>
  open?.is === "endAccount" || open?.is === "unlink" || open?.is === "endSignIn";

type PeopleProps = {
  readonly staff: ReturnType<typeof useRead<"staff">>;
  readonly signIns: readonly SignInRow[];
  readonly open: (open: Open) => void;
};

function People({ staff, signIns, open }: PeopleProps) {
  const { t } = useText();
  const online = useOnline();
  const manages = useMay("staff.manage");
  return (
    <Panel
      title={t("staff.people")}
      foot={t("staff.peopleAbout")}
      tools={
        manages && (
          <Key kind="brass" icon="plus" disabled={!online} onClick={() => open({ is: "invite" })}>
            {t("staff.invite")}
          </Key>
        )
      }
    >
      <Loaded of={staff}>
        {({ rows }) => (
          <Scroller>
            <table className={panelCss["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("staff.name")}</th>
                  <th scope="col">{t("app.roles")}</th>
                  <th scope="col" data-number>
                    {t("staff.passkeys")}
                  </th>
                  <th scope="col">{t("staff.lastHere")}</th>
                  {manages && (
                    <td>
                      <span className="visually-hidden">{t("staff.actions")}</span>
                    </td>
                  )}
                </tr>
              </thead>
              <tbody>
                {rows.map((person) => (
                  <PersonRow
                    key={person.id}
                    person={person}
                    signIn={signIns.find((row) => row.person.id === person.id)}
                    manages={manages}
                    open={open}
                  />
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
      </Loaded>
    </Panel>
  );
}

function PersonRow(props: {
  readonly person: StaffRow;
  readonly signIn: SignInRow | undefined;
  readonly manages: boolean;
  readonly open: (open: Open) => void;
}) {
  const speech = useText();
  const { t } = speech;
  const me = useMe();
  const online = useOnline();
  const { person, manages, open } = props;
  const { name, username, roles, state, passkeys, hasPassword, directory } = person;
  return (
    <tr data-ended={state === "ended" || undefined}>
      <td>
        <span className={panelCss["who"]}>
          <Face name={name} />
          <span>
            <b>{name}</b>
            <small>{username}</small>
          </span>
        </span>
      </td>
      <td className="soft">
        {roles.map((role) => roleText(speech, role)).join(", ") || (state === "ended" ? "–" : t("staff.noRole"))}
      </td>
      <td data-number>
        {state === "invited" ? <Tag kind="wait">{t("staff.invited")}</Tag> : passkeys}
        {state === "active" && passkeys === 0 && hasPassword && (
          <small className={css["second"]}>{t("staff.passwordOnly")}</small>
        )}
        {state === "active" && directory !== null && (
          <small className={css["second"]}>{t("staff.directory", { name: directory })}</small>
        )}
      </td>
      <td>
        <LastHere person={person} signIn={props.signIn} />
      </td>
      {manages && (
        <td>
          {state !== "ended" && (
            <span className={css["keys"]}>
              <Key
                kind="bare"
                disabled={!online}
                aria-label={t("staff.changeRolesOf", { name })}
                onClick={() => open({ is: "roles", person })}
              >
                {t("staff.roles")}
              </Key>
              {directory !== null && (
                <Key
                  kind="bare"
                  disabled={!online}
                  aria-label={t("staff.unlinkOf", { name })}
                  onClick={() => open({ is: "unlink", person })}
                >
                  {t("staff.unlink")}
                </Key>
              )}
              {person.id !== me.person.id && (
                <>
                  <Key
                    kind="bare"
                    disabled={!online}
                    aria-label={t("staff.renewOf", { name })}
                    onClick={() => open({ is: "renew", person })}
                  >
                    {t("staff.newLink")}
                  </Key>
                  <Key
                    kind="bare"
                    disabled={!online}
                    aria-label={t("staff.endAccountOf", { name })}
                    onClick={() => open({ is: "endAccount", person })}
                  >
                    {t("staff.end")}
                  </Key>
                </>
              )}
            </span>
          )}
        </td>
      )}
    </tr>
  );
}

function LastHere({ person, signIn }: { readonly person: StaffRow; readonly signIn: SignInRow | undefined }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  if (person.state === "ended") return <Lamp status="off">{t("staff.accountEnded")}</Lamp>;
  if (signIn !== undefined) {
    const device = deviceLabel(signIn.device);
    return signIn.locked ? (
      <Lamp status="waiting">{t("staff.lockedAt", { device })}</Lamp>
    ) : (
      <Lamp status="available">{t("staff.nowAt", { device })}</Lamp>
    );
  }
  if (person.lastSignIn === null) return <span className="soft">{t("staff.never")}</span>;
  return <span className="soft">{whenText(person.lastSignIn, clock.now(), venue.timeZone, language)}</span>;
}

function SignedIn(props: {
  readonly signIns: ReturnType<typeof useRead<"signIns">>;
  readonly open: (open: Open) => void;
}) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const manages = useMay("staff.manage");
  const online = useOnline();
  const rows = props.signIns.data?.rows ?? [];
  const people = new Set(rows.map(({ person }) => person.id)).size;
  return (
    <Panel title={t("staff.signedIn")} about={t("staff.signedInCount", { count: people, screens: rows.length })}>
      <Loaded of={props.signIns}>
        {() => (
          <ul className={css["screens"]}>
            {rows.map((signIn) => (
              <li key={signIn.id}>
                <ConsoleIcon name={/iPhone|Android|Mobile/.test(signIn.device) ? "phone" : "screen"} />
                <span>
                  <b>{signIn.person.name}</b>
                  <small>
                    {deviceLabel(signIn.device)}, <span className="ltr">{signIn.address}</span>
                  </small>
                  <small>
                    {t("staff.since", { time: whenText(signIn.since, clock.now(), venue.timeZone, language) })}
                    {signIn.locked && `, ${t("staff.locked")}`}
                  </small>
                </span>
                {signIn.isThis && <Tag>{t("staff.thisScreen")}</Tag>}
                {!signIn.isThis && manages && (
                  <Key
                    kind="bare"
                    disabled={!online}
                    aria-label={t("staff.endSignInOf", {
                      name: signIn.person.name,
                      device: deviceLabel(signIn.device),
                    })}
                    onClick={() => props.open({ is: "endSignIn", signIn })}
                  >
                    {t("staff.end")}
                  </Key>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
