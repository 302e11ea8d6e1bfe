/* SPDX-License-Identifier: Apache-2.0 */
/* What the Python package has in C beside the library: memory that pictures, arrays and tensors share, and DLPack 1.0. */

/* Pixels with a count of those who use them. The last one gives them back, on any thread, with or without the interpreter's lock. */
typedef struct icp_shared icp_shared;

/* Takes over what ic_release frees; an owner of null is memory of `size` bytes, made here. Null: there is no memory. */
icp_shared *icp_shared_new(void *owner, void *data, uint64_t size);
void *icp_shared_data(icp_shared *shared);
void icp_shared_drop(icp_shared *shared);
/* How many there are. */
int64_t icp_shared_living(void);

/* DLPack's structs, whose layout is its ABI. */
typedef struct icp_tensor {
  void *data;
  int32_t device_type, device_id; /* 1, 0: memory of the processor */
  int32_t ndim;
  uint8_t code, bits; /* 1 unsigned, 2 floating point */
  uint16_t lanes;
  int64_t *shape, *strides; /* strides in samples; null: as C has them */
  uint64_t byte_offset;
} icp_tensor;

typedef struct icp_managed {
  icp_tensor tensor;
  void *context;
  void (*deleter)(struct icp_managed *);
} icp_managed;

typedef struct icp_versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct icp_versioned *);
  uint64_t flags; /* 1: may not be written to; 2: is a copy */
  icp_tensor tensor;
} icp_versioned;

/* A struct that a capsule holds, and that uses the memory: an icp_versioned, or an icp_managed. */
void *icp_tensor_new(
    icp_shared *shared, int32_t is_versioned, int32_t ndim, const int64_t *shape, const int64_t *strides, uint8_t code,
    uint8_t bits);
/* Frees one that no capsule took. */
void icp_tensor_free(void *tensor, int32_t is_versioned);
const char *icp_capsule_name(int32_t is_versioned);
/* What a capsule calls when nobody took what it holds. */
void *icp_capsule_end(void);
