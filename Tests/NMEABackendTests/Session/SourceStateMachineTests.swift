import AsyncLocation
import Foundation
import LocationTransport
import TestSupport
import Testing

@testable import NMEABackend

/// The decisions about one connection to a source.
@Suite(.inTurn) struct SourceStateMachineTests {
  typealias Decision = SourceStateMachine.Decision

  private static let address = SocketAddress(family: 2, bytes: [1])
  private static let other = SocketAddress(family: 2, bytes: [2])
  private static let openedAt = date(2026, 5, 4)

  private static func sentences(_ count: Int = 1) -> SourceReader.Content {
    SourceReader.Content(sentences: count, checkedSentences: count)
  }

  private static func noise(_ count: Int) -> SourceReader.Content {
    SourceReader.Content(otherBytes: count, excerpt: Array("UBX".utf8))
  }

  private func machine(_ kind: SourceStateMachine.Kind) -> SourceStateMachine {
    SourceStateMachine(
      SourceStateMachine.Configuration(kind: kind, device: "line", endpoint: "line"))
  }

  /// A machine that listens since second 0.
  private func listening(_ kind: SourceStateMachine.Kind) -> SourceStateMachine {
    var machine = machine(kind)
    _ = machine.connect(at: .zero)
    if kind == .tcp { _ = machine.handle(.resolved([Self.address]), at: .zero) }
    _ = machine.handle(.opened(Self.openedAt), at: .zero)
    return machine
  }

  private func problem(_ decisions: [Decision]) -> LocationError.Code? {
    for decision in decisions {
      if case .reportConnected(let problem, _, _) = decision { return problem?.code }
    }
    return nil
  }

  private func failure(_ decisions: [Decision]) -> LocationError.Code? {
    for decision in decisions { if case .fail(let error) = decision { return error.code } }
    return nil
  }

  private func isConnected(_ decisions: [Decision]) -> Bool {
    decisions.contains { if case .reportConnected(nil, _, _) = $0 { true } else { false } }
  }

  @Test func addressesAreTriedInOrder() {
    var machine = machine(.tcp)
    #expect(machine.connect(at: .zero) == [.arm(at: .seconds(10)), .perform(.resolve)])
    #expect(
      machine.handle(.resolved([Self.address, Self.other]), at: .seconds(2))
        == [.arm(at: .seconds(6)), .perform(.open(Self.address))])
    #expect(
      machine.handle(.transportFailed(.system(errno: ECONNREFUSED)), at: .seconds(3))
        == [.close, .arm(at: .seconds(10)), .perform(.open(Self.other))])
    #expect(failure(machine.timerFired(at: .seconds(10))) == .timedOut)
    #expect(!machine.hasWorked)
  }

  @Test func aLookUpThatFailsIsReported() {
    var machine = machine(.tcp)
    _ = machine.connect(at: .zero)
    #expect(
      failure(machine.handle(.resolutionFailed(.lookup(code: EAI_NONAME)), at: .zero))
        == .backendUnavailable)
  }

  @Test(arguments: [
    SourceStateMachine.Kind.tcp, .datagrams, .serial(SerialSpeed.all[0]),
    .serialDetecting(first: nil),
  ])
  func theFirstSentenceConnects(_ kind: SourceStateMachine.Kind) {
    var machine = listening(kind)
    #expect(!machine.hasWorked)
    #expect(isConnected(machine.handle(.received(Self.sentences()), at: .seconds(1))))
    #expect(machine.hasWorked)
    #expect(machine.handle(.received(Self.sentences()), at: .seconds(2)) == [])
    #expect(machine.silenceDeadline == .seconds(12))
  }

  @Test func aSilentConnectionFails() {
    var machine = listening(.tcp)
    _ = machine.handle(.received(Self.sentences()), at: .seconds(1))
    // The timer was not postponed.
    #expect(machine.timerFired(at: .seconds(10)) == [.arm(at: .seconds(11))])
    #expect(failure(machine.timerFired(at: .seconds(11))) == .connectionLost)
  }

  @Test(arguments: [SourceStateMachine.Kind.datagrams, .serial(SerialSpeed.all[0])])
  func aSilentPortIsReportedOnceAndRemainsOpen(_ kind: SourceStateMachine.Kind) {
    var machine = listening(kind)
    let decisions = machine.timerFired(at: .seconds(10))
    #expect(problem(decisions) == .locationUnknown)
    #expect(decisions.last == .arm(at: .seconds(20)))
    #expect(decisions.count == 3)
    #expect(machine.timerFired(at: .seconds(20)) == [.arm(at: .seconds(30))])
    #expect(isConnected(machine.handle(.received(Self.sentences()), at: .seconds(21))))
  }

  @Test func somethingElseIsNotSilence() {
    var machine = listening(.tcp)
    _ = machine.handle(.received(Self.noise(200)), at: .seconds(9))
    #expect(problem(machine.timerFired(at: .seconds(10))) == .unsupported)
    // Then it falls silent.
    #expect(failure(machine.timerFired(at: .seconds(20))) == .connectionLost)
    #expect(machine.mayHeal(LocationError(.unsupported, "")))
  }

  @Test func aStrayByteIsSilence() {
    var machine = listening(.tcp)
    _ = machine.handle(.received(Self.noise(1)), at: .seconds(9))
    #expect(problem(machine.timerFired(at: .seconds(10))) == .locationUnknown)
    #expect(failure(machine.timerFired(at: .seconds(20))) == .connectionLost)

    var port = listening(.serial(SerialSpeed.all[0]))
    for round in 1...100 {
      let now = Duration.seconds(10 * round)
      _ = port.handle(.received(Self.noise(1)), at: now - .seconds(1))
      #expect(problem(port.timerFired(at: now)) == (round == 1 ? .locationUnknown : nil))
    }
    _ = port.handle(.received(Self.noise(100)), at: .seconds(1_009))
    #expect(problem(port.timerFired(at: .seconds(1_010))) == .unsupported)
  }

  @Test func bytesOfLongAgoAreSilence() {
    var machine = listening(.tcp)
    _ = machine.handle(.received(Self.noise(2_000)), at: .zero)
    #expect(failure(machine.timerFired(at: .seconds(10))) == .connectionLost)
  }

  @Test func aServerThatOnlyGreetsIsNamed() {
    var machine = listening(.tcp)
    let greeting = SourceReader.Content(
      otherBytes: 36, excerpt: Array(#"{"class":"VERSION","release":"3.22"}"#.utf8))
    _ = machine.handle(.received(greeting), at: .zero)
    #expect(failure(machine.timerFired(at: .seconds(10))) == .unsupported)
  }

  @Test func aStrayByteIsSilenceWhileTheSpeedIsLookedFor() {
    var machine = listening(.serialDetecting(first: nil))
    _ = machine.handle(.received(Self.noise(1)), at: .seconds(1))
    var problems: [LocationError.Code] = []
    for step in 1...24 {
      problems += [problem(machine.timerFired(at: SpeedDetection.listeningTime * step))]
        .compactMap(\.self)
    }
    #expect(problems == [.locationUnknown])
  }

  @Test func muchOfSomethingElseIsReportedSoon() {
    var machine = listening(.datagrams)
    #expect(machine.handle(.received(Self.noise(5_000)), at: .seconds(1)) == [])
    let decisions = machine.handle(.received(Self.noise(1)), at: .seconds(2))
    #expect(problem(decisions) == .unsupported)
    #expect(machine.handle(.received(Self.noise(5_000)), at: .seconds(3)) == [])
    #expect(isConnected(machine.handle(.received(Self.sentences()), at: .seconds(4))))
  }

  @Test func messagesBetweenSentencesAreNotAProblem() {
    var machine = listening(.tcp)
    for second in 1...30 {
      let now = Duration.seconds(second)
      #expect(problem(machine.handle(.received(Self.noise(20_000)), at: now)) == nil)
      _ = machine.handle(.received(Self.sentences()), at: now)
    }
  }

  @Test func sentencesWithoutAChecksumFindNoSpeed() {
    var machine = listening(.serialDetecting(first: nil))
    let unchecked = SourceReader.Content(sentences: 1)
    #expect(machine.handle(.received(unchecked), at: .seconds(1)) == [])
    #expect(!machine.hasWorked)
    let decisions = machine.handle(.received(Self.sentences()), at: .seconds(2))
    #expect(decisions.first == .perform(.publishSpeed(SerialSpeed.all[0])))
    #expect(isConnected(decisions))
  }

  @Test func anotherSpeedIsReported() {
    var machine = listening(.serialDetecting(first: nil))
    _ = machine.handle(.received(Self.sentences()), at: .seconds(1))
    #expect(machine.handle(.received(Self.noise(5_000)), at: .seconds(3)) == [])
    let decisions = machine.handle(.received(Self.noise(1_000)), at: .seconds(5))
    #expect(decisions.first == .perform(.publishSpeed(nil)))
    #expect(decisions.last == .perform(.setSpeed(SerialSpeed.all[1])))
    let found = machine.handle(.received(Self.sentences()), at: .seconds(6))
    let speeds = found.compactMap { decision -> Int? in
      guard case .reportConnected(nil, let receivers, _) = decision else { return nil }
      return receivers.first?.baudRate
    }
    #expect(speeds == [9600])
  }

  @Test func noiseAtEverySpeedIsReported() {
    var machine = listening(.serialDetecting(first: nil))
    var now = Duration.zero
    var problems: [LocationError.Code] = []
    for _ in 0..<2 * SerialSpeed.all.count {
      now += .seconds(2)
      let decisions = machine.handle(.received(Self.noise(400)), at: now)
      #expect(decisions.contains { if case .perform(.setSpeed) = $0 { true } else { false } })
      problems += [problem(decisions)].compactMap(\.self)
    }
    #expect(problems == [.unsupported])
  }

  @Test func silenceIsReportedWhileTheSpeedIsLookedFor() {
    var machine = listening(.serialDetecting(first: nil))
    var found: [(Duration, LocationError.Code)] = []
    for step in 1...9 {
      let now = SpeedDetection.listeningTime * step
      if let code = problem(machine.timerFired(at: now)) { found.append((now, code)) }
    }
    #expect(found.map(\.0) == [.seconds(10)])
    #expect(found.map(\.1) == [.locationUnknown])
  }

  @Test func aPortThatHangsUpIsUnplugged() {
    var machine = listening(.serial(SerialSpeed.all[1]))
    let decisions = machine.handle(.closed(.system(errno: EIO)), at: .seconds(1))
    #expect(failure(decisions) == .connectionLost)
    // Late events of the port change nothing.
    #expect(machine.handle(.closed(nil), at: .seconds(1)) == [])
    #expect(machine.handle(.received(Self.sentences()), at: .seconds(1)) == [])
    #expect(machine.timerFired(at: .seconds(1)) == [])
  }

  @Test(arguments: [EACCES, EPERM])
  func aPortThatMayNotBeReadDoesNotHeal(_ code: Int32) {
    var machine = machine(.serial(SerialSpeed.all[0]))
    _ = machine.connect(at: .zero)
    let error = LocationError.cannotOpenPort("/dev/ttyUSB0", code, group: "dialout")
    var now = Duration.zero
    while now < .seconds(3) {
      #expect(machine.handle(.portFailed(error), at: now) == [.arm(at: now + .milliseconds(250))])
      now += .milliseconds(250)
      #expect(machine.timerFired(at: now) == [.perform(.openPort(SerialSpeed.all[0]))])
    }
    #expect(machine.handle(.portFailed(error), at: now) == [.fail(error)])
    #expect(error.code == .denied)
    #expect(!machine.mayHeal(error))
    // The next attempt has its own time.
    _ = machine.connect(at: now)
    #expect(machine.handle(.portFailed(error), at: now) == [.arm(at: now + .milliseconds(250))])
  }

  /// A device that is plugged in belongs to root for a moment.
  @Test func aPortThatGetsItsGroupLaterIsOpened() {
    var machine = machine(.serialDetecting(first: nil))
    _ = machine.connect(at: .zero)
    let error = LocationError.cannotOpenPort("/dev/ttyUSB0", EACCES, group: "root")
    _ = machine.handle(.portFailed(error), at: .zero)
    #expect(
      machine.timerFired(at: .milliseconds(250)) == [.perform(.openPort(SerialSpeed.all[0]))])
    _ = machine.handle(.opened(Self.openedAt), at: .milliseconds(250))
    #expect(isConnected(machine.handle(.received(Self.sentences()), at: .seconds(1))))
  }

  @Test func nobodyIsAdvisedToJoinTheGroupRoot() {
    let message = LocationError.cannotOpenPort("/dev/ttyUSB0", EACCES, group: "root").message
    #expect(!message.contains("usermod"))
    #expect(message.contains("udev rule"))
  }
}
