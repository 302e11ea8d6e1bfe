/* SPDX-License-Identifier: Apache-2.0 */

#include <stdlib.h>

struct icp_shared {
  int64_t users;
  void *owner, *data;
};

static int64_t icp_living;

static icp_shared *icp_shared_new(void *owner, void *data, uint64_t size) {
  icp_shared *shared = malloc(sizeof *shared);
  if (shared && !owner) data = malloc(size ? size : 1);
  if (!shared || !data) {
    free(shared);
    return NULL;
  }
  *shared = (icp_shared){1, owner, data};
  __atomic_add_fetch(&icp_living, 1, __ATOMIC_RELAXED);
  return shared;
}

static void *icp_shared_data(icp_shared *shared) { return shared->data; }

static void icp_shared_drop(icp_shared *shared) {
  if (__atomic_sub_fetch(&shared->users, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (shared->owner) ic_release(shared->owner);
  else free(shared->data);
  free(shared);
  __atomic_sub_fetch(&icp_living, 1, __ATOMIC_RELAXED);
}

static int64_t icp_shared_living(void) { return __atomic_load_n(&icp_living, __ATOMIC_RELAXED); }

static void icp_managed_end(icp_managed *managed) {
  icp_shared_drop(managed->context);
  free(managed);
}

static void icp_versioned_end(icp_versioned *versioned) {
  icp_shared_drop(versioned->context);
  free(versioned);
}

static void *icp_tensor_new(
    icp_shared *shared, int32_t is_versioned, int32_t ndim, const int64_t *shape, const int64_t *strides, uint8_t code,
    uint8_t bits) {
  /* Shape and strides follow the struct in its memory. */
  size_t size = is_versioned ? sizeof(icp_versioned) : sizeof(icp_managed);
  char *memory = calloc(1, size + 2 * ndim * sizeof(int64_t));
  if (!memory) return NULL;
  int64_t *numbers = (int64_t *)(memory + size);
  for (int32_t index = 0; index < ndim; index++) {
    numbers[index] = shape[index];
    numbers[ndim + index] = strides[index];
  }
  icp_tensor tensor = {shared->data, 1, 0, ndim, code, bits, 1, numbers, numbers + ndim, 0};
  if (is_versioned) *(icp_versioned *)memory = (icp_versioned){1, 0, shared, icp_versioned_end, 0, tensor};
  else *(icp_managed *)memory = (icp_managed){tensor, shared, icp_managed_end};
  __atomic_add_fetch(&shared->users, 1, __ATOMIC_RELAXED);
  return memory;
}

static void icp_tensor_free(void *tensor, int32_t is_versioned) {
  if (is_versioned) icp_versioned_end(tensor);
  else icp_managed_end(tensor);
}

static const char *icp_capsule_name(int32_t is_versioned) { return is_versioned ? "dltensor_versioned" : "dltensor"; }

/* A consumer renames the capsule that it took from. */
static void icp_capsule_destroy(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor")) icp_managed_end(PyCapsule_GetPointer(capsule, "dltensor"));
  else if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
    icp_versioned_end(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
}

static void *icp_capsule_end(void) { return (void *)icp_capsule_destroy; }
