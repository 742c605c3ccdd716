import { describe, expect, it } from 'vitest';
import { createGuardedFetcher } from '../../src/outbound/guarded-fetch.ts';

const { checkPublicUrl } = createGuardedFetcher();

describe('the addresses that the service goes to', () => {
  it.each([
    'http://8.8.8.8/',
    'https://1.1.1.1:8443/a?b=c',
    'http://172.32.0.1/',
    'http://[2606:4700:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::808:808]/',
  ])('include %s', async (url) => expect(await checkPublicUrl(url)).toBeUndefined());
});

describe('the addresses that the service refuses', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['all of loopback', 'http://127.255.255.254/'],
    ['loopback as one number', 'http://2130706433/'],
    ['loopback in hexadecimal', 'http://0x7f000001/'],
    ['loopback in octal', 'http://0177.0.0.1/'],
    ['loopback cut short', 'http://127.1/'],
    ['loopback in wide digits', 'http://１２７.0.0.1/'],
    ['loopback in percent signs', 'http://%31%32%37.0.0.1/'],
    ['loopback of IPv6', 'http://[::1]/'],
    ['loopback of IPv6 in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['no address', 'http://0.0.0.0/'],
    ['its network', 'http://0.1.2.3/'],
    ['no address of IPv6', 'http://[::]/'],
    ['private 10/8', 'http://10.0.0.1/'],
    ['private 172.16/12', 'http://172.31.255.255/'],
    ['private 192.168/16', 'http://192.168.1.1/'],
    ['link-local', 'http://169.254.169.254/latest/meta-data'],
    ['link-local of IPv6', 'http://[fe80::1]/'],
    ['a zone', 'http://[fe80::1%25eth0]/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['protocol assignments', 'http://192.0.0.1/'],
    ['documentation', 'http://203.0.113.1/'],
    ['benchmarks', 'http://198.18.0.1/'],
    ['multicast', 'http://224.0.0.1/'],
    ['multicast of IPv6', 'http://[ff02::1]/'],
    ['reserved', 'http://240.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['unique-local', 'http://[fd00::1]/'],
    ['site-local', 'http://[fec0::1]/'],
    ['documentation of IPv6', 'http://[2001:db8::1]/'],
    ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['what is not given out', 'http://[4000::1]/'],
    ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped private in hexadecimal', 'http://[::ffff:a00:1]/'],
    ['IPv4-compatible loopback', 'http://[::127.0.0.1]/'],
    ['IPv4-translated private', 'http://[::ffff:0:10.0.0.1]/'],
    ['private through NAT64', 'http://[64:ff9b::10.0.0.1]/'],
    ['local NAT64', 'http://[64:ff9b:1::808:808]/'],
    ['private through 6to4', 'http://[2002:a00:1::]/'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'ftp://8.8.8.8/'],
    ['a script', 'javascript:alert(1)'],
    ['a user name', 'http://user@8.8.8.8/'],
    ['a password', 'https://:secret@8.8.8.8/'],
    ['no URL', 'example.com/a'],
    ['nothing', ''],
  ])('include %s: %s', async (_what, url) => {
    await expect(checkPublicUrl(url)).rejects.toMatchObject({ name: 'GuardedFetchError', kind: 'refused' });
  });

  it('include loopback in any spelling, but where it is allowed', async () => {
    const { checkPublicUrl: check } = createGuardedFetcher({ allowLoopback: true });
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
      expect(await check(`http://${host}/`)).toBeUndefined();
    }
    for (const host of ['10.0.0.1', '0.0.0.0', '169.254.169.254', '[fe80::1]']) {
      await expect(check(`http://${host}/`)).rejects.toMatchObject({ kind: 'refused' });
    }
  });
});

describe('names', () => {
  const PUBLIC = { address: '8.8.8.8', family: 4 };
  const check = (...addresses: { address: string; family: number }[]) =>
    createGuardedFetcher({ resolveName: async () => addresses }).checkPublicUrl('https://host.example/');

  it('are good where all that they resolve to is public', async () => {
    expect(await check(PUBLIC, { address: '2606:4700:4700::1111', family: 6 })).toBeUndefined();
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', 'fe80::1%eth0', '::ffff:10.0.0.1', 'garbage'])(
    'are refused where one of several addresses is %s, which the message does not tell',
    async (address) => {
      const error = await check(PUBLIC, { address, family: 4 }).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ kind: 'refused', message: 'The address is not a public one.' });
    },
  );

  it('are refused where they resolve to nothing', async () => {
    await expect(check()).rejects.toMatchObject({ kind: 'refused' });
  });

  it('that nobody knows are told as such', async () => {
    const { checkPublicUrl: unknown } = createGuardedFetcher({
      resolveName: () => Promise.reject(new Error('10.1.1.1')),
    });
    const expected = { kind: 'failed', message: 'The host of the address is not known.' };
    await expect(unknown('https://host.example/')).rejects.toMatchObject(expected);
  });

  it('of this machine are refused by the system’s own resolver', async () => {
    await expect(checkPublicUrl('http://localhost:80/')).rejects.toMatchObject({ kind: 'refused' });
  });
});
