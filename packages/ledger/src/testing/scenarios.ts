/** The rules of the ledger as tables. Each is played by the pure book and by PostgreSQL; both must do what stands here. */
export const scenarios: Readonly<Record<string, string>> = {
  "a deposit, a wager, a win and a withdrawal": `
    deposit   d1 player:ann 5000                       ok
    move      g1 game player:ann > house 200           ok
    move      g2 game house > player:ann 900           ok
    withdraw  w1 player:ann 5700                       ok
    withdraw  w2 player:ann 1                          wallet.insufficient_funds
    account   player:ann                               balance 0 held 0
    account   house                                    balance -700 held 0
    account   cage                                     balance 700 held 0
  `,
  "money that is held cannot be spent twice": `
    deposit   d1 player:ann 5000                       ok
    hold      h1 cashIn player:ann > machine:m7 2000   ok
    hold      h2 cashIn player:ann > machine:m8 3001   wallet.insufficient_funds
    withdraw  w1 player:ann 3001                       wallet.insufficient_funds
    hold      h3 cashIn player:ann > machine:m8 3000   ok
    account   player:ann                               balance 5000 held 5000
    void      h1                                       ok
    account   player:ann                               balance 5000 held 3000
  `,
  "a hold posts once, wholly": `
    deposit   d1 player:ann 5000                       ok
    hold      h1 cashIn player:ann > machine:m7 2000   ok
    post      h1 2000                                  ok
    post      h1 2000                                  replayed
    post      h1 1999                                  hold.already_posted
    post      h1 2000 as t9                            hold.already_posted
    void      h1                                       hold.already_posted
    hold      h1 cashIn player:ann > machine:m7 2000   replayed
    account   player:ann                               balance 3000 held 0
    account   machine:m7                               balance 2000 held 0
  `,
  "a hold posts in part and the rest is free again": `
    deposit   d1 player:ann 5000                       ok
    hold      h1 cashIn player:ann > machine:m7 5000   ok
    post      h1 5001                                  hold.amount_exceeded
    post      h1 0                                     transfer.amount_outside_limits
    post      h1 1 as t1                               ok
    post      h1 1 as t1                               replayed
    account   player:ann                               balance 4999 held 0
    withdraw  w1 player:ann 4999                       ok
  `,
  "a void hold stays void": `
    deposit   d1 player:ann 100                        ok
    hold      h1 cashIn player:ann > machine:m7 100    ok
    void      h1                                       ok
    void      h1                                       replayed
    post      h1 100                                   hold.already_void
    hold      h1 cashIn player:ann > machine:m7 100    replayed
    account   player:ann                               balance 100 held 0
    void      h0                                       hold.unknown
    post      h0 1                                     hold.unknown
  `,
  "the same id with the same content answers the first result, with other content it is refused": `
    deposit   d1 player:ann 500                        ok
    deposit   d1 player:ann 500                        replayed
    deposit   d1 player:ann 501                        transfer.id_conflict
    deposit   d1 player:bob 500                        transfer.id_conflict
    move      d1 bonus cage > player:ann 500           transfer.id_conflict
    hold      d1 cashIn player:ann > machine:m7 500    transfer.id_conflict
    hold      h1 cashIn player:ann > machine:m7 200    ok
    hold      h1 cashIn player:ann > machine:m7 201    transfer.id_conflict
    deposit   h1 player:ann 200                        transfer.id_conflict
    post      h1 100 as d1                             transfer.id_conflict
    hold      h2 cashIn player:ann > machine:m7 100    ok
    post      h1 100 as h2                             transfer.id_conflict
    post      h1 100                                   ok
    move      h1 cashIn player:ann > machine:m7 100    transfer.id_conflict
    account   player:ann                               balance 400 held 100
  `,
  "a replay is answered even when the money is gone by now": `
    deposit   d1 player:ann 500                        ok
    hold      h1 cashIn player:ann > machine:m7 500    ok
    post      h1 500                                   ok
    hold      h1 cashIn player:ann > machine:m7 500    replayed
    hold      h2 cashIn player:ann > machine:m7 500    wallet.insufficient_funds
    deposit   d2 player:ann 500                        ok
    hold      h2 cashIn player:ann > machine:m7 500    ok
  `,
  "machines, house and the outside may go below zero, players never": `
    move      c1 cashOut machine:m7 > player:ann 900   ok
    move      g1 game player:ann > house 901           wallet.insufficient_funds
    hold      h1 cashOut machine:m7 > player:ann 100   ok
    account   machine:m7                               balance -900 held 100
    post      h1 100                                   ok
    account   machine:m7                               balance -1000 held 0
    account   player:ann                               balance 1000 held 0
  `,
  "mistakes are corrected by adding": `
    deposit   d1 player:ann 500                        ok
    correct   c0 d0                                    transfer.unknown
    correct   c1 d1 100                                ok
    correct   c1 d1 100                                replayed
    correct   c1 d1 101                                transfer.id_conflict
    correct   c2 d1 401                                transfer.corrected
    correct   d1 d1 1                                  transfer.id_conflict
    correct   c3 d1                                    ok
    correct   c3 d1                                    replayed
    correct   c4 d1                                    transfer.corrected
    account   player:ann                               balance 0 held 0
    correct   c5 c1                                    ok
    account   player:ann                               balance 100 held 0
  `,
  "a correction cannot take what the player no longer has": `
    deposit   d1 player:ann 500                        ok
    hold      h1 cashIn player:ann > machine:m7 1      ok
    correct   c1 d1                                    wallet.insufficient_funds
    correct   c1 d1 499                                ok
    post      h1 1                                     ok
    correct   c2 h1                                    ok
    account   player:ann                               balance 1 held 0
  `,
  "amounts have limits, and accounts are two": `
    deposit   d1 player:ann 0                          transfer.amount_outside_limits
    deposit   d1 player:ann -5                         transfer.amount_outside_limits
    deposit   d1 player:ann 1.5                        transfer.amount_outside_limits
    deposit   d1 player:ann 9000000000001              transfer.amount_outside_limits
    deposit   d1 player:ann 9000000000000              ok
    move      t1 game player:ann > player:ann 5        request.malformed
    move      t1 game player:ann > player: 5           request.malformed
    move      t1 game player:ann > vault 5             request.malformed
    move      t1 freegift player:ann > house 5         request.malformed
    deposit   * player:ann 5                           request.malformed
    account   player:ann                               balance 9000000000000 held 0
  `,
};
