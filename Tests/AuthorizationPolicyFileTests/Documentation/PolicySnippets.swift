import AsyncLocation
import AuthorizationPolicyFile
import TestSupport
import Testing

/// The code of the articles.
@Suite(.inTurn) @MainActor
struct PolicySnippets {
  @Test func policyFile() async {
    let policy: some AuthorizationPolicy = .file(
      "/etc/async-location/policy.json", client: "harbour-map")
    // The machines that run this test have no such file.
    #expect(await policy.authorize(.always).permission == .denied)
  }

  @Test func storedKey() async {
    let policy: some AuthorizationPolicy = .ask(
      reducedAccuracyKey: { try await .stored() },
      { _ in .authorizedWhenInUse.limited(to: .reduced) })
    #expect(await policy.authorize(.always).accuracy == .reduced)
  }
}
