import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limit.ts';

const rate = { perSecond: 2, burst: 3 };

test('a burst goes through, then requests wait for the bucket to fill', () => {
  const limiter = new RateLimiter({ rate });
  expect([0, 0, 0, 0].map(() => limiter.take('192.0.2.1', 1000))).toEqual([0, 0, 0, 1]);
  expect(limiter.take('192.0.2.2', 1000)).toBe(0);
  expect([limiter.take('192.0.2.1', 1500), limiter.take('192.0.2.1', 1500)]).toEqual([0, 1]);
});

test('both loopback families share one bucket of their own rate', () => {
  const limiter = new RateLimiter({ rate, loopbackRate: { perSecond: 1, burst: 2 } });
  expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map((address) => limiter.take(address, 0))).toEqual([0, 0, 1]);
});

test('one IPv6 network is one address', () => {
  const limiter = new RateLimiter({ rate: { perSecond: 1, burst: 2 } });
  const same = ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::'];
  expect(same.map((address) => limiter.take(address, 0))).toEqual([0, 0, 1]);
  expect(limiter.take('2001:db8:1:3::1', 0)).toBe(0);
});

test('whoever has a larger IPv6 network gets no more than 4 and 16 times as much', () => {
  const taken = (addressOf: (at: number) => string) => {
    const limiter = new RateLimiter({ rate: { perSecond: 1, burst: 2 } });
    return Array.from({ length: 300 }, (_, at) => limiter.take(addressOf(at), 0)).filter((wait) => wait === 0).length;
  };
  expect(taken((at) => `2001:db8:1:2::${at.toString(16)}`)).toBe(2);
  expect(taken((at) => `2001:db8:1:2${(at % 256).toString(16).padStart(2, '0')}::1`)).toBe(8);
  expect(taken((at) => `2001:db8:1:${(at * 211).toString(16)}::1`)).toBe(32);
});

test('what a network may no longer take costs its addresses nothing', () => {
  const limiter = new RateLimiter({ rate: { perSecond: 1, burst: 1 } });
  for (const group of ['201', '202', '203', '204']) expect(limiter.take(`2001:db8:1:${group}::1`, 0)).toBe(0);
  expect(limiter.take('2001:db8:1:205::1', 0)).toBe(1);
  expect(limiter.take('2001:db8:1:205::1', 250)).toBe(0);
});

test.each(['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1', '::ffff:c000:0201%eth0'])(
  'an IPv4 address is the same as %s',
  (mapped) => {
    const limiter = new RateLimiter({ rate: { perSecond: 1, burst: 1 } });
    expect([limiter.take('192.0.2.1', 0), limiter.take(mapped, 0)]).toEqual([0, 1]);
  },
);

test('a clock that goes back fills no bucket', () => {
  const limiter = new RateLimiter({ rate: { perSecond: 1, burst: 1 } });
  expect([limiter.take('192.0.2.1', 10_000), limiter.take('192.0.2.1', 0)]).toEqual([0, 1]);
});

test('any number of addresses stays in bounded memory', () => {
  const limiter = new RateLimiter({ rate, maxAddresses: 100 });
  for (let i = 0; i < 10_000; i += 1) limiter.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, i);
  expect(limiter.size).toBe(100);
});

test('nobody gets more than burst and rate together allow', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), (gaps) => {
      const limiter = new RateLimiter({ rate });
      let now = 0;
      const taken = gaps.filter((gap) => {
        now += gap;
        return limiter.take('192.0.2.1', now) === 0;
      });
      expect(taken.length).toBeLessThanOrEqual(rate.burst + (now / 1000) * rate.perSecond + 1e-6);
    }),
  );
});
