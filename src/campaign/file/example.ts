/** Example of a small campaign, which `svc explain campaign` shows. A test reads it. */
export const EXAMPLE = `version: 1
campaign: Spring sale

messages:
  spring:
    channel: email
    name: Spring sale
    from: news@harbourcoffee.example
    from-name: Harbour Coffee
    reply-to: hello@harbourcoffee.example
    subject: Spring is in the cup
    html: content/spring.html
    text: content/spring.txt

tasks:
  newsletter:
    name: Spring sale
    message: spring
    list: 1
    at: \${{ day }} 09:00
    expect-size: 300..500

automations:
  loyalty:
    kind: open
    name: Spring readers join the club
    message: spring
    actiontype: addtolist
    actiontarget: 2
    after: 2d
    actiononweekend: true
`;
