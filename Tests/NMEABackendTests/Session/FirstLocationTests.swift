import AsyncLocation
import LocationTransport
import TestSupport
import Testing

@testable import NMEABackend

/// The first location of a port, in virtual time.
@Suite(.inTurn) struct FirstLocationTests {
  private func start(_ speed: Int?) async -> (NMEARun, ManualTransport) {
    let transport = ManualTransport()
    let source = NMEASource.serial(path: "/dev/ttyUSB0", speed: speed)
    let run = NMEARun(
      NMEABackend(NMEAConfiguration(source: source)) { () throws(TransportFailure) in
        (transport, transport)
      })
    await transport.waitForPort()
    transport.advance(by: .zero)
    return (run, transport)
  }

  @Test func aPortThatIsOpenedInACycleDeliversTheNextOne() async {
    let (run, transport) = await start(4800)
    transport.receive(sentences(rmc("120001")))
    transport.advance(by: .milliseconds(700))
    transport.receive(cycle(2))
    transport.advance(by: .milliseconds(1_000))
    let location = await run.nextLocation()
    #expect(location?.timestamp == date(2026, 5, 4, 12, 0, 2))
    #expect(location?.altitude == 100.5)
    await transport.finish(run)
  }

  @Test func aSpeedThatIsFoundInACycleDeliversTheNextOne() async {
    let (run, transport) = await start(nil)
    // The pauses of noise at a wrong speed are those of the cycle.
    transport.receive(String(repeating: "\u{7F}", count: 200))
    transport.advance(by: .milliseconds(1_300))
    transport.receive(String(repeating: "\u{7F}", count: 200))
    transport.receive(sentences(rmc("120001")))
    transport.advance(by: .milliseconds(700))
    transport.receive(cycle(2))
    transport.advance(by: .milliseconds(1_000))
    let location = await run.nextLocation()
    #expect(location?.timestamp == date(2026, 5, 4, 12, 0, 2))
    #expect(location?.altitude == 100.5)
    await transport.finish(run)
  }

  @Test func aPortThatWasQuietDeliversItsFirstEpoch() async {
    let (run, transport) = await start(4800)
    transport.advance(by: .milliseconds(250))
    transport.receive(sentences(rmc("120001")))
    transport.advance(by: .milliseconds(250))
    #expect(await run.nextLocation()?.timestamp == date(2026, 5, 4, 12, 0, 1))
    await transport.finish(run)
  }
}
