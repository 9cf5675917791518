import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct SubscriptionStateMachineTests {
  typealias Subscription = BrokerOptions.Subscription

  private static let live = Subscription(filter: "live")
  private static let kept = Subscription(filter: "kept", quality: 0, isForNewSession: true)
  private static let drops = Subscription(filter: "drops", quality: 0, isOptional: true)

  /// Accepts a connection, and answers its first requests with the reason codes, in order.
  @discardableResult
  private func connect(
    _ machine: inout SubscriptionStateMachine, _ wanted: [Subscription] = [Self.live, Self.kept],
    isPresent: Bool = false, version: BrokerOptions.Version = .mqtt5, codes: [UInt8] = []
  ) -> (
    resumes: Bool, requests: [Subscription], answers: [SubscriptionStateMachine.Answer]
  ) {
    let (resumes, requests) = machine.accepted(wanted, isPresent: isPresent, version)
    let numbered = zip(Int32(1)..., requests).map { ($0, $1) }
    machine.requested(Dictionary(uniqueKeysWithValues: numbered))
    let answers = zip(Int32(1)..., codes).map { machine.answered($0, reasonCodes: [$1]) }
    return (resumes, requests, answers)
  }

  @Test func aNewSessionRequestsAll() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let connection = connect(&machine, codes: [1, 0])
    #expect(!connection.resumes)
    #expect(connection.requests == [Self.live, Self.kept])
    #expect(connection.answers == [.incomplete, .complete(nil)])
  }

  @Test func aSessionThatTheBrokerKeptIsResumed() {
    var machine = SubscriptionStateMachine(reconnects: true)
    connect(&machine, codes: [1, 0])
    machine.ended()
    let connection = connect(&machine, isPresent: true, codes: [1])
    #expect(connection.resumes)
    #expect(connection.requests == [Self.live])
    #expect(connection.answers == [.complete(nil)])
  }

  /// The reason codes of the previous connection.
  @Test(arguments: [[1], [], [0, 0]] as [[UInt8]])
  func aSessionThatMissedMessagesIsNotResumed(_ codes: [UInt8]) {
    var machine = SubscriptionStateMachine(reconnects: true)
    connect(&machine, codes: codes)
    machine.ended()
    let connection = connect(&machine, isPresent: true)
    #expect(!connection.resumes)
    #expect(connection.requests == [Self.live, Self.kept])
  }

  @Test func aSessionThatTheBrokerLostIsNotResumed() {
    var machine = SubscriptionStateMachine(reconnects: true)
    connect(&machine, codes: [1, 0])
    machine.ended()
    #expect(!connect(&machine, isPresent: false).resumes)
  }

  @Test func aSessionWithoutSubscriptionsIsResumed() {
    var machine = SubscriptionStateMachine(reconnects: true)
    #expect(connect(&machine, [], isPresent: true).resumes)
    #expect(!connect(&machine, [], isPresent: false).resumes)
  }

  @Test func aLowerQualityIsADowngradeUntilTheNextConnection() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let downgrade = SubscriptionStateMachine.Downgrade(filter: "live", quality: 0)
    #expect(connect(&machine, codes: [0, 0]).answers.last == .complete(downgrade))
    machine.ended()
    #expect(connect(&machine, codes: [1, 0]).answers.last == .complete(nil))
  }

  @Test func aRefusalNamesTheFilter() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let connection = connect(&machine, codes: [0x87, 0])
    #expect(connection.answers.first == .refused(filter: "live", reasonCode: 0x87))
  }

  @Test func aRefusedOptionalSubscriptionIsComplete() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let connection = connect(&machine, [Self.live, Self.drops], codes: [1, 0x87])
    #expect(connection.answers == [.incomplete, .complete(nil)])
  }

  @Test func anAnswerToAnotherRequestIsIgnored() {
    var machine = SubscriptionStateMachine(reconnects: true)
    connect(&machine)
    #expect(machine.answered(9, reasonCodes: [0x80]) == .incomplete)
    machine.ended()
    #expect(machine.answered(1, reasonCodes: [0x80]) == .incomplete)
  }

  /// Some brokers close the connection instead of answering.
  @Test func optionalSubscriptionsAreLeftOutAfterAnUnansweredRequest() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let wanted = [Self.live, Self.drops]
    var requests = [connect(&machine, wanted, codes: [1]).requests]
    for codes: [UInt8] in [[1], [1], [1], [1]] {
      machine.ended()
      requests.append(connect(&machine, wanted, codes: codes).requests)
    }
    #expect(requests == [wanted, [Self.live], wanted, [Self.live], [Self.live]])
  }

  @Test func anAnswerResetsTheCountOfUnansweredRequests() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let wanted = [Self.live, Self.drops]
    connect(&machine, wanted, codes: [1])
    machine.ended()
    connect(&machine, wanted, codes: [1])
    machine.ended()
    connect(&machine, wanted, codes: [1, 0])
    machine.ended()
    connect(&machine, wanted, codes: [1])
    machine.ended()
    connect(&machine, wanted, codes: [1])
    machine.ended()
    #expect(connect(&machine, wanted).requests == wanted)
  }

  @Test func nothingOptionalIsRequestedIfThereIsNoReconnection() {
    var machine = SubscriptionStateMachine(reconnects: false)
    #expect(connect(&machine, [Self.live, Self.drops]).requests == [Self.live])
  }

  /// A repeated request would replace the subscription, and deliver all retained messages again.
  @Test("F80 MQTT 3.1.1 requests each filter once, and nothing for a resumed session")
  func olderVersion() {
    var machine = SubscriptionStateMachine(reconnects: true)
    let connection = connect(&machine, version: .mqtt311, codes: [1])
    #expect(connection.requests == [Self.live])
    #expect(connection.answers == [.complete(nil)])
    for _ in 0..<2 {
      machine.ended()
      let next = connect(&machine, isPresent: true, version: .mqtt311)
      #expect(next.resumes)
      #expect(next.requests.isEmpty)
    }
    machine.ended()
    #expect(connect(&machine, version: .mqtt311).requests == [Self.live])
  }
}
