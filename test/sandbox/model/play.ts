/** Performs one step on the model, as the documents say, and on the sandbox. Returns both outcomes. */
import { DONE, type Outcome } from './outcome.ts';
import { changeSubscriber, comeBack, newList, newSubscriber, report, subscribeTo } from './play-people.ts';
import { changeBlocks, remove } from './play-removals.ts';
import { makeRule, playRule } from './play-rules.ts';
import { changeTask, schedule, sendSms } from './play-tasks.ts';
import type { Real } from './real.ts';
import type { Model } from './state.ts';
import type { Step } from './steps.ts';
import { passTime } from './time.ts';

export async function play(model: Model, real: Real, step: Step): Promise<Outcome> {
  switch (step.kind) {
    case 'schedule':
      return schedule(model, real, step);
    case 'cancel':
    case 'move':
    case 'retarget':
      return changeTask(model, real, step);
    case 'sms':
      return sendSms(model, real, step);
    case 'subscribe':
      return subscribeTo(model, real, step);
    case 'new subscriber':
      return newSubscriber(model, real, step);
    case 'new list':
      return newList(model, real, step);
    case 'locate':
    case 'suspend':
      return changeSubscriber(model, real, step);
    case 'come back':
      return comeBack(model, real, step);
    case 'event':
      return report(model, real, step);
    case 'date':
    case 'pause':
    case 'delete rule':
      return playRule(model, real, step);
    case 'new rule':
      return makeRule(model, real, step);
    case 'block':
    case 'block with subscribers kept':
    case 'unblock':
      return changeBlocks(model, real, step);
    case 'delete list':
    case 'delete folder':
    case 'delete message':
      return remove(model, real, step);
    case 'set credits': {
      model.credits[step.channel] = step.credits;
      model.spent[step.channel] = 0;
      const { status } = await real.control('credits set', { [step.channel]: step.credits });
      return { expected: 200, got: status };
    }
    case 'advance': {
      const until = model.now + step.seconds;
      passTime(model, until);
      await real.advance(until, step.cutAfter);
      return DONE;
    }
    case 'settle':
      passTime(model, model.now);
      await real.settle();
      return DONE;
    case 'restart':
      await real.restart();
      return DONE;
  }
}
