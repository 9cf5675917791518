import AsyncLocation
import AuthorizationPolicyFile
import TestSupport
import Testing

/// The operator's file and the key are read outside of the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aDecisionReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try PolicyFolder(
        FilePolicyTests.text("authorizedWhenInUse"))
      let path = folder.policy
      let key = folder.path + "/state/key"
      let calls = try await callsOnThePool {
        let policy: some AuthorizationPolicy = .file(path, client: "me")
        _ = try await ReducedAccuracyKey.stored(at: key)
        let observation = Task { await policy.observe { _ in } }
        #expect(await policy.authorize(.whenInUse).permission == .whenInUse)
        observation.cancel()
        await observation.value
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
