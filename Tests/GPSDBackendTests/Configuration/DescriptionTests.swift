import AsyncLocation
import GPSDBackend
import TestSupport
import Testing

@Suite(.inTurn) struct DescriptionTests {
  @Test func configurationsAndStatisticsPrintTheirMembers() {
    #expect("\(Reconnection.never)" == "never")
    let text = "\(GPSDConfiguration(host: "h"))"
    #expect(text.hasPrefix("GPSDConfiguration(host: \"h\", port: 2947, receiverSelection: best"))
    #expect(text.contains("reconnection: exponential(initial: 1.0 seconds"))
    #expect(text.contains("authorizationPolicy: FixedAuthorizationPolicy"))
    #expect(
      "\(ReportOptions(classes: ["TPV"], buffering: .newest(bytes: 5)))".contains(
        "classes: [\"TPV\"]"))
    #expect("\(GPSDStatistics())".hasPrefix("GPSDStatistics(phase: idle, receiverChanges: 0"))
  }
}
